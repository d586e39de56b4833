// Charts of overflights as pictures of lines: the area as it lies, and bars with their numbers.
import { html, svg, type TemplateResult } from "lit";
import { number, t } from "../../i18n/i18n";

type Position = [number, number];

const WIDTH = 300;
const HEIGHT = 110;

/** A GeoJSON Polygon or MultiPolygon with north up, around its middle. */
export function outline(geometry: unknown, middle: { lat: number; lon: number }, name: string): TemplateResult {
  const { type, coordinates } = geometry as { type: string; coordinates: unknown };
  const polygons = (type === "Polygon" ? [coordinates] : coordinates) as Position[][][];
  const east = Math.cos((middle.lat * Math.PI) / 180);
  const rings = polygons
    .flat()
    .map((ring) => ring.map(([lon, lat]): Position => [wrapped(lon - middle.lon) * east, middle.lat - lat]));
  const every = rings.flat();
  const [left, top] = [0, 1].map((axis) => Math.min(...every.map((at) => at[axis]!))) as Position;
  const [right, bottom] = [0, 1].map((axis) => Math.max(...every.map((at) => at[axis]!))) as Position;
  const size = Math.max(right - left, bottom - top, 1e-6);
  const path = rings.map((ring) => `M${ring.map(([x, y]) => `${scaled(x, size)} ${scaled(y, size)}`).join("L")}Z`);
  const box = [left, top, right - left, bottom - top].map((value) => (value / size) * 100);
  const margin = 4;
  return html`<svg class="overflight-area" role="img" aria-label=${name} viewBox="${box[0]! - margin} ${box[1]! - margin} ${box[2]! + 2 * margin} ${box[3]! + 2 * margin}">
    <path d=${path.join("")} fill-rule="evenodd" /><path class="middle" d="M-2 0H2M0 -2V2" /></svg>`;
}

function scaled(value: number, size: number): string {
  return ((value / size) * 100).toFixed(2);
}

function wrapped(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

export interface Bar {
  label: string;
  value: number;
  /** The part of it that is drawn dark. */
  dark?: number;
  title?: string;
}

/** Bars side by side, with a label below every so many. */
export function bars(name: string, entries: Bar[], every: number): TemplateResult {
  const most = Math.max(...entries.map((entry) => entry.value), 1);
  const step = WIDTH / Math.max(entries.length, 1);
  const high = (value: number): number => (value / most) * (HEIGHT - 26);
  return html`<svg class="overflight-bars" role="img" aria-label=${name} viewBox="0 0 ${WIDTH} ${HEIGHT}">
    ${entries.map(
      (entry, index) => svg`<g><title>${entry.title ?? entry.label}: ${number(entry.value)}</title>
        <rect class="hit" x=${index * step} y="0" width=${step} height=${HEIGHT} />
        <rect x=${index * step + step * 0.15} y=${HEIGHT - 14 - high(entry.value)} width=${step * 0.7} height=${high(entry.value)} />
        <rect class="dark" x=${index * step + step * 0.15} y=${HEIGHT - 14 - high(entry.dark ?? 0)} width=${step * 0.7} height=${high(entry.dark ?? 0)} />
        ${index % every ? "" : svg`<text x=${(index + 0.5) * step} y=${HEIGHT - 3}>${entry.label}</text>`}</g>`,
    )}
    <text class="most" x="0" y="9">${number(most)}</text></svg>`;
}

/** Bars below each other, the longest first. */
export function ranking(entries: { type: string | null; flights: number }[], shown: number): TemplateResult {
  const most = Math.max(...entries.map((entry) => entry.flights), 1);
  const rest = entries.slice(shown).reduce((sum, entry) => sum + entry.flights, 0);
  const rows = [
    ...entries.slice(0, shown).map((entry) => ({ name: entry.type ?? t("overflights.unknown"), value: entry.flights })),
    ...(rest ? [{ name: t("overflights.others"), value: rest }] : []),
  ];
  return html`<ul class="overflight-types">${rows.map(({ name, value }) => html`<li><span class="mono">${name}</span><svg viewBox="0 0 100 11" preserveAspectRatio="none" aria-hidden="true"><rect width=${Math.min(100, (value / most) * 100).toFixed(1)} height="11" /></svg><b>${number(value)}</b></li>`)}</ul>`;
}

// Drawings of reception: a polar plot of range, the signals by strength, and lines over time.
import { dayName } from "../../ui/days";
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { corners } from "../../core/polar";
import { number, t, type TextKey } from "../../i18n/i18n";
import { bare, clock, measure, unit } from "../../ui/units";
import { DAY_MS, HOUR_MS, isShare, type Figure, type Quality, type Span } from "./series";

type Sector = Quality["range"][number];
type Bin = Quality["signal"]["histogram"][number];
type Range = "now_nm" | "p50_30d_nm" | "max_30d_nm";

const CENTRE = 110;
const RADIUS = 92;
/** The range of each line, the widest first, and its text. */
export const RANGES: [range: Range, text: TextKey][] = [
  ["max_30d_nm", "quality.max_30d"],
  ["p50_30d_nm", "quality.p50_30d"],
  ["now_nm", "quality.now"],
];
const WIDTH = 320;
const HEIGHT = 120;
const BASE = 100;
const STRONG_DBFS = -3;
const WEAK_DBFS = -33;

export function farthest(sectors: Sector[]): number {
  return Math.max(1, ...sectors.flatMap((sector) => RANGES.map(([range]) => sector[range] ?? 0)));
}

/** Range by bearing: now as an area, the median and the greatest of 30 days as lines. */
export function polar(sectors: Sector[]): TemplateResult {
  const most = farthest(sectors);
  const rings = [most / 2, most];
  return html`<svg class="plot rose polar" viewBox="0 0 220 220" role="img" aria-label=${t("quality.polar_label", { distance: measure("distance", most) })}>
    ${rings.map((ring) => svg`<circle cx=${CENTRE} cy=${CENTRE} r=${(ring / most) * RADIUS} />`)}
    ${svg`<path d=${`M${CENTRE} ${CENTRE - RADIUS}V${CENTRE + RADIUS}M${CENTRE - RADIUS} ${CENTRE}H${CENTRE + RADIUS}`} />`}
    ${RANGES.map(([range]) => svg`<path class=${`me range ${range}`} d=${outline(sectors, range, most)} />`)}
    ${cardinal("N", CENTRE, 12)}${cardinal("E", 214, CENTRE + 4)}${cardinal("S", CENTRE, 217)}${cardinal("W", 8, CENTRE + 4)}
    ${rings.map((ring) => svg`<text x=${CENTRE + 3} y=${CENTRE - (ring / most) * RADIUS + 11}>${measure("distance", ring)}</text>`)}
  </svg>`;
}

function cardinal(point: string, x: number, y: number): SVGTemplateResult {
  return svg`<text x=${x} y=${y} text-anchor="middle">${t(`quality.${point as "N" | "E" | "S" | "W"}`)}</text>`;
}

function outline(sectors: Sector[], range: Range, most: number): string {
  const points = corners(
    sectors.map((sector) => sector[range]),
    most,
    CENTRE,
    RADIUS,
  );
  return points.length ? `M${points.join("L")}Z` : "";
}

/** Signals by strength; those that are too strong or weak stand out. */
export function histogram(bins: Bin[]): TemplateResult {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const width = WIDTH / Math.max(1, bins.length);
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("quality.signals")}>
    ${bins.map(({ dbfs, count }, at) => {
      const height = (count / most) * (BASE - 6);
      const level = dbfs >= STRONG_DBFS ? "strong" : dbfs < WEAK_DBFS ? "weak" : "good";
      return svg`<rect class=${`signal ${level}`} x=${at * width + 0.5} y=${BASE - height} width=${width - 1} height=${height} />`;
    })}
    ${svg`<path class="axis" d=${`M0 ${BASE}H${WIDTH}`} />`}
    ${bins
      .map(({ dbfs }, at) => ({ dbfs, at }))
      .filter(({ dbfs }) => dbfs % 10 === 0 && dbfs > -50)
      .map(({ dbfs, at }) => svg`<text x=${at * width} y="115" text-anchor="middle">${number(dbfs)}</text>`)}
  </svg>`;
}

/** A value with the unit in which the reader wants it. */
export function valueText(figure: Figure, value: number | null): string {
  if (value === null) return "–";
  if (figure === "max_range_nm") return bare("distance", value);
  return isShare(figure) ? number(value * 100, 1) : number(value, value < 10 ? 1 : 0);
}

export function unitOf(figure: Figure): string {
  if (figure === "max_range_nm") return unit("distance");
  return isShare(figure) ? "%" : figure === "aircraft" ? "" : "1/s";
}

/** One figure over a span; where nothing was observed, the line has a gap. */
export function line(span: Span, figure: Figure, title: string): TemplateResult {
  const present = span.samples.filter(({ values }) => values[figure] !== null);
  const most = Math.max(...present.map(({ values }) => values[figure]!), isShare(figure) ? 0.01 : 1);
  const x = (at: number): number => ((at - span.from) / (span.to - span.from)) * WIDTH;
  const y = (value: number): number => BASE - (value / most) * (BASE - 14);
  let path = "";
  let last = -Infinity;
  for (const { at, values } of present) {
    const step = at - last > 2.5 * span.stepMs ? "M" : "L";
    path += `${step}${x(at).toFixed(1)} ${y(values[figure]!).toFixed(1)}`;
    // A point alone is a dot.
    if (step === "M") path += "h.01";
    last = at;
  }
  const newest = present.at(-1)?.values[figure] ?? null;
  const text = t("quality.chart_label", {
    title,
    newest: valueText(figure, newest),
    most: valueText(figure, present.length ? most : null),
  });
  return html`<figure class="reception-line" data-figure=${figure} data-points=${present.length} data-newest=${newest ?? ""}>
    <figcaption>${title} ${unitOf(figure) ? html`<small>${unitOf(figure)}</small>` : ""}</figcaption>
    <svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${text}>
      ${svg`<path class="axis" d=${`M0 ${BASE}H${WIDTH}M0 ${y(most)}H${WIDTH}`} /><path class="line" d=${path} />
        <text x="0" y="10">${valueText(figure, present.length ? most : null)}</text>
        <text x="0" y="115">${ends(span)[0]}</text><text x=${WIDTH} y="115" text-anchor="end">${ends(span)[1]}</text>`}
    </svg></figure>`;
}

function ends({ from, to, stepMs }: Span): [string, string] {
  if (stepMs < HOUR_MS || to - from < DAY_MS) return [clock(from).slice(0, 5), clock(to).slice(0, 5)];
  return [dayName(from), dayName(to)];
}

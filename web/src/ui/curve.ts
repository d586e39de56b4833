// A figure over time, from its first value on: an area with its greatest value, and the hours below it.
import { html, svg, type TemplateResult } from "lit";
import { number, t } from "../i18n/i18n";
import { clock } from "./units";

export interface Point {
  at: number;
  value: number;
}

const WIDTH = 480;
const HEIGHT = 140;
const BASE = 116;
const TOP = 16;
const MINUTE_MS = 60_000;
/** A line of a moment could not be seen. */
const LEAST_MS = 600_000;
const TICKS = 6;
/** How many minutes the times that are named may stand apart. */
const STEPS = [5, 10, 15, 30, 60, 120, 180, 360, 720];

const minutes = (at: number): string => clock(at).slice(0, 5);

/** The times that are named below a span, round ones of the reader's clock. */
export function ticks(from: number, to: number): number[] {
  const step = STEPS.find((one) => (to - from) / MINUTE_MS / one <= TICKS) ?? 1440;
  const offset = new Date(from).getTimezoneOffset();
  const first = Math.ceil((from / MINUTE_MS - offset) / step) * step + offset;
  const times: number[] = [];
  for (let at = first * MINUTE_MS; at < to; at += step * MINUTE_MS) times.push(at);
  return times;
}

/** Points in the order of time, each of so many milliseconds; where some are missing there is a gap. */
export function curve(
  title: string,
  unit: string,
  points: readonly Point[],
  stepMs: number,
  now: number,
): TemplateResult {
  const from = Math.min(points[0]?.at ?? now, now - LEAST_MS);
  const most = Math.max(1, ...points.map(({ value }) => value));
  const x = (at: number): number => ((at - from) / (now - from)) * WIDTH;
  const y = (value: number): number => BASE - (value / most) * (BASE - TOP);
  const parts: Point[][] = [];
  for (const [at, point] of points.entries()) {
    if (at && point.at - points[at - 1].at <= 2.5 * stepMs) parts.at(-1)!.push(point);
    else parts.push([point]);
  }
  const along = (part: Point[]): string =>
    part.map(({ at, value }) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
  const end = (part: Point[]): number => x(Math.min(now, part.at(-1)!.at + (part.length > 1 ? 0 : stepMs)));
  const last = points.at(-1)?.value ?? 0;
  const text = t("curve.label", { title, last: number(last), most: number(most), time: minutes(from) });
  return html`<figure class="curve" data-points=${points.length}>
    <figcaption>${title} <b>${number(last)}</b> <small>${unit}</small></figcaption>
    <svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${text}>
      ${svg`<path class="axis" d=${`M0 ${BASE}H${WIDTH}M0 ${TOP}H${WIDTH}`} />`}
      ${parts.map((part) => svg`<path class="area" d=${`M${x(part[0].at).toFixed(1)} ${BASE}L${along(part)}H${end(part).toFixed(1)}V${BASE}Z`} /><path class="line" d=${`M${along(part)}H${end(part).toFixed(1)}`} />`)}
      ${svg`<text x="2" y=${TOP - 4}>${number(most)}</text>`}
      ${ticks(from, now).map((at) => svg`<path class="axis" d=${`M${x(at).toFixed(1)} ${BASE}v4`} /><text x=${x(at).toFixed(1)} y=${BASE + 17} text-anchor="middle">${minutes(at)}</text>`)}
    </svg></figure>`;
}

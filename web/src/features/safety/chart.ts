// Horizontal distance and difference of height of an encounter over time, with the closest point marked.
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { number, t, type TextKey } from "../../i18n/i18n";
import { bare, clock, fromAviation, measure, unit, type Quantity } from "../../ui/units";
import type { Sample } from "./approach";

const WIDTH = 400;
const LEFT = 44;
const RIGHT = 10;
const PANEL = 96;
const GAP = 26;
const TOP = 16;
const HEIGHT = TOP + 2 * PANEL + GAP + 22;
const NICE = [1, 2, 2.5, 5, 10];
const ROW_S = 10;

/** A round number not below a value, for the upper end of an axis. */
export function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
  return (NICE.find((step) => step * power >= value * 0.999999) ?? 10) * power;
}

interface Panel {
  title: TextKey;
  quantity: Quantity;
  digits: number;
  top: number;
  value: (sample: Sample) => number | null;
}

const PANELS: Panel[] = [
  { title: "encounter.distance", quantity: "distance", digits: 2, top: TOP, value: (sample) => sample.distance_nm },
  {
    title: "encounter.vertical",
    quantity: "altitude",
    digits: 0,
    top: TOP + PANEL + GAP,
    value: (sample) => sample.vertical_ft,
  },
];

/** The drawing; its figures stand in the table below, too. */
export function chart(samples: Sample[], closest: Sample): TemplateResult {
  const [from, to] = [samples[0].at, samples[samples.length - 1].at];
  const x = (at: number): number => LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT - RIGHT);
  return html`<svg class="encounter-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("encounter.chart", { distance: measure("distance", closest.distance_nm, 2), height: measure("altitude", closest.vertical_ft), time: clock(closest.at * 1000) })}>
    <line class="closest-line" x1=${x(closest.at)} x2=${x(closest.at)} y1=${TOP} y2=${TOP + 2 * PANEL + GAP} />
    ${PANELS.map((panel) => drawn(panel, samples, closest, x))}
    ${[from, to].map((at) => svg`<text x=${x(at)} y=${HEIGHT - 6} text-anchor=${at === from ? "start" : "end"}>${clock(at * 1000)}</text>`)}
  </svg>`;
}

function drawn(
  { title, quantity, digits, top, value }: Panel,
  samples: Sample[],
  closest: Sample,
  x: (at: number) => number,
): SVGTemplateResult {
  const present = samples.filter((sample) => value(sample) !== null);
  const highest = niceTop(Math.max(...present.map((sample) => fromAviation(quantity, value(sample)!)), 0.01));
  const bottom = top + PANEL;
  const y = (one: number): number => bottom - (fromAviation(quantity, one) / highest) * PANEL;
  const ticks = [0, highest / 2, highest];
  // A line is broken where either was not heard.
  const path = present
    .map(
      (sample, at) =>
        `${at && sample.at - present[at - 1].at <= 1 ? "L" : "M"}${x(sample.at).toFixed(2)},${y(value(sample)!).toFixed(2)}`,
    )
    .join("");
  const best = value(closest);
  return svg`<g class="curve" data-quantity=${quantity}>
    <text class="name" x=${LEFT} y=${top - 5}>${t(title)} (${unit(quantity)})</text>
    ${ticks.map(
      (
        tick,
      ) => svg`<line class="grid" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${bottom - (tick / highest) * PANEL} y2=${bottom - (tick / highest) * PANEL} />
      <text class="tick" data-value=${tick} x=${LEFT - 5} y=${bottom - (tick / highest) * PANEL + 3.5} text-anchor="end">${number(tick, Number.isInteger(tick) ? 0 : highest < 1 ? 2 : 1)}</text>`,
    )}
    <path class="course" d=${path} />
    ${best === null ? "" : svg`<circle class="closest" cx=${x(closest.at)} cy=${y(best)} r="3.6" /><text class="figure" x=${Math.min(x(closest.at) + 7, WIDTH - 62)} y=${Math.max(top + 10, y(best) - 6)}>${measure(quantity, best, digits)}</text>`}
  </g>`;
}

/** The same figures as a table: every ten seconds, and the closest point. */
export function chartTable(samples: Sample[], closest: Sample): TemplateResult {
  const rows = samples.filter((sample) => sample.at % ROW_S === 0 || sample === closest);
  if (!rows.includes(closest)) rows.push(closest);
  rows.sort((a, b) => a.at - b.at);
  return html`<details class="further"><summary>${t("encounter.table")}</summary>
    <table class="data encounter-table"><thead><tr><th>${t("encounter.time")}</th>${PANELS.map(({ title, quantity }) => html`<th class="number">${t(title)} (${unit(quantity)})</th>`)}</tr></thead>
      <tbody>${rows.map(
        (
          sample,
        ) => html`<tr class=${sample === closest ? "closest" : ""} data-at=${sample.at}><td>${clock(sample.at * 1000)}${sample === closest ? html` <span class="tag">${t("encounter.closest")}</span>` : ""}</td>
        ${PANELS.map(({ quantity, digits, value }) => html`<td class="number">${bare(quantity, value(sample), digits) || "–"}</td>`)}</tr>`,
      )}</tbody></table></details>`;
}

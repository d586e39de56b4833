// How much was recorded along the span of a replay, as bars above the slider of its time.
import { html, svg, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";

import type { Schemas } from "../../session/operations";

export type Timeline = Schemas["Timeline"];

export const BINS = 96;
const HEIGHT = 40;

/** The bars, the highest as high as the drawing; `share` (0 to 1) is how much of the span has been played. */
export function bars({ aircraft }: Timeline, share: number): TemplateResult {
  const most = Math.max(1, ...aircraft);
  return html`<svg class="density" viewBox="0 0 ${aircraft.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${t("replay.density", { n: Math.max(0, ...aircraft) })}>
    ${aircraft.map((count, at) => {
      const height = count ? Math.max(1.5, (count / most) * HEIGHT) : 0;
      return svg`<rect x=${at + 0.08} y=${HEIGHT - height} width="0.84" height=${height} data-count=${count} class=${at < share * aircraft.length ? "past" : ""} />`;
    })}
  </svg>`;
}

/** The place of a moment in an ascending list of times: the last that is not after it, or the first. */
export function indexAt(times: number[], moment: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

// How much was recorded along the span of a replay, as bars above the slider of its time.
import { html, nothing, svg, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";

import type { Schemas } from "../../session/operations";
import { measure } from "../../ui/units";
import type { RawPoint } from "./track";

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

const SPEEDS = [1, 10, 30, 60, 120, 300];
/** A replay takes so long (s), unless somebody chooses a speed. */
const LASTS_S = 60;
/** Pictures follow each other no faster than this (s); at high speeds some are passed over. */
const SHORTEST_S = 0.05;

/** The speed at which a span (unix ms) is played in a minute. */
export function speedFor(from: number, to: number): number {
  return Math.max(1, Math.round((to - from) / 1000 / LASTS_S));
}

/** The speeds to choose from, this one among them. */
export function speedsWith(speed: number): number[] {
  return [...new Set([...SPEEDS, speed])].sort((one, other) => one - other);
}

/** The picture that is shown after another at a speed; the same one where there is none. */
export function following(times: number[], at: number, speed: number): number {
  let next = Math.min(at + 1, times.length - 1);
  while (next < times.length - 1 && (times[next] - times[at]) / speed < SHORTEST_S) next += 1;
  return next;
}

const PROFILE_HEIGHT = 56;
const PROFILE_WIDTH = 300;
const MARGIN = 4;

/** The altitudes of tracks along the span (unix s), below the slider of its time, with a cursor at `now`. */
export function profile(
  tracks: RawPoint[][],
  from: number,
  to: number,
  now: number | undefined,
): TemplateResult | typeof nothing {
  const altitudes = tracks.flat().flatMap(({ altitude }) => (altitude === null ? [] : [altitude]));
  if (altitudes.length < 2) return nothing;
  // On the ground the altitude is unknown, and drawn at the foot.
  const low = Math.min(0, ...altitudes);
  const high = Math.max(...altitudes, low + 1000);
  const x = (at: number): string => (((at - from) / (to - from)) * PROFILE_WIDTH).toFixed(1);
  const y = (altitude: number): string =>
    (PROFILE_HEIGHT - MARGIN - ((altitude - low) / (high - low)) * (PROFILE_HEIGHT - 2 * MARGIN)).toFixed(1);
  const path = (track: RawPoint[]): string => {
    let isBroken = true;
    return track
      .map(({ at, altitude, ground, gap }) => {
        if (altitude === null && !ground) {
          isBroken = true;
          return "";
        }
        const step = `${isBroken || gap ? "M" : "L"}${x(at)} ${y(altitude ?? low)}`;
        isBroken = false;
        return step;
      })
      .join("");
  };
  const range = t("replay.profile", { high: measure("altitude", Math.max(...altitudes)) });
  return html`<figure class="replay-profile">
    <svg viewBox="0 0 ${PROFILE_WIDTH} ${PROFILE_HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${range}>
      ${tracks.map((track, index) => svg`<path class=${index ? "other" : ""} d=${path(track)} />`)}
      ${now === undefined ? nothing : svg`<path class="cursor" d="M${x(now)} 0V${PROFILE_HEIGHT}" />`}
    </svg>
    <figcaption>${range}</figcaption>
  </figure>`;
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

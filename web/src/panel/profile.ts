// The altitude of the selected aircraft over its flight, at most the last hour of it: what the service has recorded, and on
// from there with each picture.
import { html, svg, type TemplateResult } from "lit";
import type { Aircraft } from "../live/messages";
import { recordedTrail } from "../live/trails/recorded";
import { colourOf } from "../list/columns";
import { t } from "../i18n/i18n";
import { bare, measure } from "../ui/units";

const WIDTH = 300;
const HEIGHT = 44;
const SPAN_S = 3600;
const STEP_S = 4;
/** A line leads over no longer silence than this. */
const GAP_S = 120;
const MAX_AIRCRAFT = 20;

export interface Sample {
  /** Unix seconds. */
  at: number;
  altitude: number;
}

const memory = new Map<string, Sample[]>();

function samplesOf(hex: string): Sample[] {
  let samples = memory.get(hex);
  if (!samples) {
    if (memory.size >= MAX_AIRCRAFT) memory.delete(memory.keys().next().value!);
    samples = [];
    memory.set(hex, samples);
  }
  return samples;
}

/** Begin with the altitudes of the recorded trail; what came since stays. */
export async function recall(hex: string): Promise<void> {
  const recorded = (await recordedTrail(hex))
    .filter(({ altitude, ground }) => altitude !== null && !ground)
    .map(({ at, altitude }) => ({ at, altitude: altitude! }));
  const last = recorded.at(-1)?.at ?? -Infinity;
  const since = samplesOf(hex).filter(({ at }) => at > last);
  memory.set(hex, [...recorded, ...since]);
}

/** What stands in the plot after one more picture. */
export function sampled(aircraft: Aircraft, now: number): Sample[] {
  const samples = samplesOf(aircraft.hex);
  if (typeof aircraft.alt_baro === "number" && now - (samples.at(-1)?.at ?? -Infinity) >= STEP_S)
    samples.push({ at: now, altitude: aircraft.alt_baro });
  while (samples.length && now - samples[0].at > SPAN_S) samples.shift();
  return samples;
}

export function profile(aircraft: Aircraft): TemplateResult | string {
  const samples = sampled(aircraft, Date.now() / 1000);
  if (samples.length < 4) return "";
  const low = Math.min(...samples.map(({ altitude }) => altitude));
  const high = Math.max(...samples.map(({ altitude }) => altitude));
  const first = samples[0].at;
  const span = Math.max(60, samples.at(-1)!.at - first);
  const x = (at: number): string => (((at - first) / span) * WIDTH).toFixed(1);
  const y = (altitude: number): string =>
    (HEIGHT - 4 - ((altitude - low) / Math.max(high - low, 400)) * (HEIGHT - 8)).toFixed(1);
  const path = samples
    .map(
      ({ at, altitude }, index) => `${index && at - samples[index - 1].at <= GAP_S ? "L" : "M"}${x(at)} ${y(altitude)}`,
    )
    .join("");
  const range = `${bare("altitude", low)} – ${measure("altitude", high)}`;
  return html`<figure class="profile">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${t("panel.profile")}: ${range}" preserveAspectRatio="none">
      ${svg`<path d=${path} fill="none" stroke=${colourOf(aircraft)} stroke-width="2" vector-effect="non-scaling-stroke" />`}
    </svg>
    <figcaption><span>${range}</span><span>${t("panel.profile_span", { n: Math.max(1, Math.round(span / 60)) })}</span></figcaption>
  </figure>`;
}

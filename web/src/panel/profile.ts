// The altitude of the selected aircraft over the last minutes, as a small plot.
import { html, svg, type TemplateResult } from "lit";
import type { Aircraft } from "../live/messages";
import { colourOf } from "../list/columns";
import { t } from "../i18n/i18n";
import { measure } from "../ui/units";

const WIDTH = 300;
const HEIGHT = 44;
const SPAN_S = 900;
const STEP_S = 4;
const MAX_AIRCRAFT = 20;

interface Sample {
  at: number;
  altitude: number;
}

const memory = new Map<string, Sample[]>();

function samplesOf(aircraft: Aircraft): Sample[] {
  let samples = memory.get(aircraft.hex);
  if (!samples) {
    if (memory.size >= MAX_AIRCRAFT) memory.delete(memory.keys().next().value!);
    samples = [];
    memory.set(aircraft.hex, samples);
  }
  const at = performance.now() / 1000;
  if (typeof aircraft.alt_baro === "number" && at - (samples.at(-1)?.at ?? -STEP_S) >= STEP_S)
    samples.push({ at, altitude: aircraft.alt_baro });
  while (samples.length && at - samples[0].at > SPAN_S) samples.shift();
  return samples;
}

export function profile(aircraft: Aircraft): TemplateResult | string {
  const samples = samplesOf(aircraft);
  if (samples.length < 4) return "";
  const low = Math.min(...samples.map(({ altitude }) => altitude));
  const high = Math.max(...samples.map(({ altitude }) => altitude), low + 400);
  const first = samples[0].at;
  const span = Math.max(60, samples.at(-1)!.at - first);
  const x = (at: number): number => ((at - first) / span) * WIDTH;
  const y = (altitude: number): number => HEIGHT - 4 - ((altitude - low) / (high - low)) * (HEIGHT - 8);
  const points = samples.map((sample) => `${x(sample.at).toFixed(1)},${y(sample.altitude).toFixed(1)}`).join(" ");
  return html`<svg class="profile" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${t("panel.profile")}: ${measure("altitude", low)} – ${measure("altitude", high)}" preserveAspectRatio="none">
    ${svg`<polyline points=${points} fill="none" stroke=${colourOf(aircraft)} stroke-width="2" vector-effect="non-scaling-stroke" />`}
  </svg>`;
}

// The figures of the selected aircraft in the order in which people read them.
import { html, type TemplateResult } from "lit";
import { t, type TextKey } from "../i18n/i18n";
import { isEmergency } from "../live/filter";
import type { Aircraft } from "../live/messages";
import { onGround } from "../list/columns";
import { age, bearing, measure } from "../ui/units";

/** Slower than this (ft/min) an aircraft flies level. */
const LEVEL_FT_MIN = 250;

function trend(some: Aircraft): string {
  if (onGround(some)) return "";
  const rate = some.baro_rate ?? some.geom_rate;
  if (typeof rate !== "number") return "";
  if (Math.abs(rate) < LEVEL_FT_MIN) return t("aircraft.level");
  return `${rate > 0 ? "↑" : "↓"} ${measure("rate", Math.abs(rate))}`;
}

/** `seen` is the age of the last message (s). */
export function figures(some: Aircraft, seen: unknown): TemplateResult {
  const figure = (title: TextKey, value: string, below: string, isAlarming = false): TemplateResult =>
    html`<div><span>${t(title)}</span><b class=${isAlarming ? "alarming" : ""}>${value}</b><small>${below}</small></div>`;
  const emergency = isEmergency((some.flags as number) ?? 0, some.squawk);
  return html`<div class="figures">
    ${figure("column.altitude", onGround(some) ? t("aircraft.on_ground") : measure("altitude", some.alt_baro as number), trend(some))}
    ${figure("column.speed", measure("speed", some.gs as number), typeof some.mach === "number" ? `Mach ${some.mach.toFixed(2)}` : "")}
    ${figure("column.track", bearing(some.track as number | null), compass(some.track))}
    ${figure("column.distance", measure("distance", some.distance as number | null, 1), typeof some.bearing === "number" ? `${t("column.bearing")} ${bearing(some.bearing)}` : "")}
    ${figure("column.squawk", String(some.squawk ?? "–"), emergency ? t("aircraft.emergency") : "", emergency)}
    ${figure("panel.seen", typeof seen === "number" ? age(seen) : "–", "")}
  </div>`;
}

/** The point of the compass, as an arrow: it is read in every language. */
function compass(track: unknown): string {
  return typeof track === "number" ? "↑↗→↘↓↙←↖"[Math.round((((track % 360) + 360) % 360) / 45) % 8] : "";
}

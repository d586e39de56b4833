// The figures of the selected aircraft in the order in which people read them.
import { html, nothing, type TemplateResult } from "lit";
import { t, type TextKey } from "../i18n/i18n";
import { isAlarming, isEmergency } from "../live/filter";
import type { Aircraft } from "../live/messages";
import { onGround } from "../list/columns";
import { age, bearing, measure } from "../ui/units";

/** Slower than this (ft/min) an aircraft flies level. */
const LEVEL_FT_MIN = 250;

function trend(aircraft: Aircraft): string {
  if (onGround(aircraft)) return "";
  const rate = aircraft.baro_rate ?? aircraft.geom_rate;
  if (typeof rate !== "number") return "";
  if (Math.abs(rate) < LEVEL_FT_MIN) return t("aircraft.level");
  return `${rate > 0 ? "↑" : "↓"} ${measure("rate", Math.abs(rate))}`;
}

/** The figures that are known; `seen` is the age of the last message (s). */
export function figures(aircraft: Aircraft, seen: unknown): TemplateResult {
  const figure = (title: TextKey, value: string, below: string, isAlarming = false): TemplateResult | typeof nothing =>
    value === "" || value === "–"
      ? nothing
      : html`<div><span>${t(title)}</span><b class=${isAlarming ? "alarming" : ""}>${value}</b><small>${below}</small></div>`;
  const flags = (aircraft.flags as number) ?? 0;
  const emergency = isEmergency(flags, aircraft.squawk);
  return html`<div class="figures">
    ${figure("column.altitude", onGround(aircraft) ? t("aircraft.on_ground") : measure("altitude", aircraft.alt_baro as number), trend(aircraft))}
    ${figure("column.speed", measure("speed", aircraft.gs as number), typeof aircraft.mach === "number" ? `Mach ${aircraft.mach.toFixed(2)}` : "")}
    ${figure("column.track", bearing(aircraft.track as number | null), compass(aircraft.track))}
    ${figure("column.distance", measure("distance", aircraft.distance as number | null, 1), typeof aircraft.bearing === "number" ? `${t("column.bearing")} ${bearing(aircraft.bearing)}` : "")}
    ${figure("column.squawk", String(aircraft.squawk ?? ""), emergency ? t("aircraft.emergency") : "", isAlarming(aircraft, flags))}
    ${figure("panel.seen", typeof seen === "number" ? age(seen) : "", "")}
  </div>`;
}

/** The point of the compass, as an arrow: it is read in every language. */
function compass(track: unknown): string {
  return typeof track === "number" ? "↑↗→↘↓↙←↖"[Math.round((((track % 360) + 360) % 360) / 45) % 8] : "";
}

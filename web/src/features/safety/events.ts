// What the service's resource of safety events holds, and the sentence of an encounter.
import { saidIn, t } from "../../i18n/i18n";
import type { Schemas } from "../../session/operations";
import { clock, measure } from "../../ui/units";

export type SafetyEvent = Schemas["SafetyEventRecord"];

/** Whether an event is about two aircraft whose tracks can be drawn. */
export function isEncounter(event: SafetyEvent): boolean {
  return event.type === "proximity" && event.icao_hex !== null && event.icao_hex_2 !== null;
}

/** The names of both: callsigns, else addresses. */
export function namesOf(event: SafetyEvent): [string, string] {
  const [one = "", two = ""] = event.callsigns ?? [];
  return [one || event.icao_hex!, two || event.icao_hex_2!];
}

/** What happens or happened, in the reader's language: in the present while it lasts, in the past once it is over. */
export function sentenceOf(event: SafetyEvent, now = Date.now()): string {
  if (!isEncounter(event) || !event.closest) return saidIn(event, "message");
  const [one, two] = namesOf(event);
  const { at, distance_nm, vertical_ft } = event.closest;
  const values = {
    one,
    two,
    distance: measure("distance", distance_nm, 2),
    height: measure("altitude", vertical_ft),
    time: clock(at),
  };
  const closestAt = Date.parse(at);
  if (event.ended_at)
    return t(closestAt <= Date.parse(event.ended_at) ? "encounter.over" : "encounter.forecast", values);
  if (closestAt > now) return t("encounter.ahead", { ...values, n: Math.round((closestAt - now) / 1000) });
  return t("encounter.near", values);
}

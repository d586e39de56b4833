// What is known of the selected aircraft besides its figures, as a list of names and values.
import { html, nothing, type TemplateResult } from "lit";
import { age, bearing, clock, measure } from "../ui/units";
import { number, t, word, type TextKey } from "../i18n/i18n";
import type { Aircraft } from "../live/messages";

export interface Airframe {
  registration?: string;
  type?: string | null;
  type_name?: string | null;
  operator?: string;
  owner?: string;
  year?: string | number;
  interesting: boolean;
  pia: boolean;
  ladd: boolean;
}

type Fact = [TextKey, TemplateResult | string];

const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

function formatted(value: unknown, format: (value: number) => string): string {
  return typeof value === "number" ? format(value) : "";
}

function identity(some: Aircraft, airframe: Airframe | null): Fact[] {
  const emergency = some.emergency && some.emergency !== "none" ? word("emergency", text(some.emergency)) : "";
  return [
    ["column.hex", some.hex.toUpperCase()],
    ["column.squawk", text(some.squawk)],
    ["panel.emergency", emergency],
    ["column.type", text(some.t ?? airframe?.type)],
    ["panel.operator", text(airframe?.operator)],
    ["panel.owner", text(airframe?.owner)],
    ["panel.year", text(airframe?.year)],
    ["column.category", some.category ? html`${some.category} <small>${word("category", text(some.category))}</small>` : ""],
  ];
}

function flight(some: Aircraft): Fact[] {
  const altitude = (value: number): string => measure("altitude", value);
  const speed = (value: number): string => measure("speed", value);
  return [
    ["panel.geometric", formatted(some.alt_geom, altitude)],
    ["panel.geometric_rate", formatted(some.geom_rate, (value) => measure("rate", value))],
    ["panel.selected_altitude", formatted(some.nav_altitude_mcp ?? some.nav_altitude_fms, altitude)],
    ["panel.selected_heading", formatted(some.nav_heading, bearing)],
    ["panel.modes", Array.isArray(some.nav_modes) ? (some.nav_modes as string[]).join(" · ").toUpperCase() : ""],
    ["panel.qnh", formatted(some.nav_qnh, (value) => `${number(value, 1)} hPa`)],
    ["panel.true_heading", formatted(some.true_heading, bearing)],
    ["panel.heading", formatted(some.mag_heading, bearing)],
    ["panel.roll", formatted(some.roll, (value) => `${number(value, 1)}°`)],
    ["panel.ias", formatted(some.ias, speed)],
    ["panel.tas", formatted(some.tas, speed)],
    ["panel.mach", formatted(some.mach, (value) => number(value, 2))],
    ["panel.wind", formatted(some.wd, (value) => `${bearing(value)} ${measure("speed", some.ws as number)}`)],
    ["panel.oat", formatted(some.oat, (value) => `${number(value)} °C`)],
  ];
}

function reception(some: Aircraft, seen: unknown): Fact[] {
  const integrity = [["NIC", some.nic], ["NACp", some.nac_p], ["SIL", some.sil]].filter(([, value]) => value !== undefined && value !== null);
  return [
    ["panel.position", formatted(some.lat, (value) => `${value.toFixed(4)}, ${(some.lon as number).toFixed(4)}`)],
    ["panel.position_age", formatted(some.seen_pos, age)],
    ["panel.integrity", integrity.map((pair) => pair.join(" ")).join(" · ")],
    ["panel.source", text(some.type).replaceAll("_", " ").toUpperCase()],
    ["panel.version", text(some.version)],
    ["column.receiver", text(some.receiver)],
    ["column.rssi", formatted(some.rssi, (value) => `${number(value, 1)} dBFS`)],
    ["panel.messages", formatted(some.messages, number)],
    ["panel.seen", formatted(seen, age)],
    ["panel.first_seen", some.first_seen ? clock(some.first_seen as string) : ""],
  ];
}

/** Everything that has a value. `seen` is the age of the last message (s). */
export function facts(some: Aircraft, airframe: Airframe | null, seen: unknown): TemplateResult {
  const all = [...identity(some, airframe), ...flight(some), ...reception(some, seen)];
  return html`<dl class="facts">
    ${all.map(([title, value]) => (value === "" ? nothing : html`<div><dt>${t(title)}</dt><dd>${value}</dd></div>`))}
  </dl>`;
}

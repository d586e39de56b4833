// What is known of the selected aircraft besides its figures, as a list of names and values.
import { html, nothing, type TemplateResult } from "lit";
import { prefer, preferences } from "../core/preferences";
import { stateName } from "../ui/flag";
import { age, bearing, clock, measure } from "../ui/units";
import { number, t, word, type TextKey } from "../i18n/i18n";
import type { Aircraft } from "../live/messages";
import type { Schemas } from "../session/operations";

export type Airframe = NonNullable<Schemas["AircraftDetail"]["airframe"]>;

type Fact = [TextKey, TemplateResult | string];

const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

function formatted(value: unknown, format: (value: number) => string): string {
  return typeof value === "number" ? format(value) : "";
}

/** A group of facts that stays as the reader left it; `name` is its key. */
interface Group {
  name: string;
  title: TextKey;
  facts: Fact[];
}

function identity(some: Aircraft, airframe: Airframe | null): Fact[] {
  const emergency = some.emergency && some.emergency !== "none" ? word("emergency", text(some.emergency)) : "";
  return [
    ["panel.emergency", emergency],
    ["panel.state", stateName(some.hex)],
    ["panel.operator", text(airframe?.operator)],
    ["panel.owner", text(airframe?.owner)],
    ["column.type", text(some.t ?? airframe?.type)],
    ["panel.year", text(airframe?.year)],
    [
      "column.category",
      some.category ? html`${some.category} <small>${word("category", text(some.category))}</small>` : "",
    ],
    ["column.hex", some.hex.toUpperCase()],
    ["panel.first_seen", some.first_seen ? clock(some.first_seen as string) : ""],
    ["panel.position", formatted(some.lat, (value) => `${value.toFixed(4)}, ${(some.lon as number).toFixed(4)}`)],
  ];
}

function autopilot(some: Aircraft): Fact[] {
  return [
    [
      "panel.selected_altitude",
      formatted(some.nav_altitude_mcp ?? some.nav_altitude_fms, (value) => measure("altitude", value)),
    ],
    ["panel.selected_heading", formatted(some.nav_heading, bearing)],
    ["panel.modes", Array.isArray(some.nav_modes) ? (some.nav_modes as string[]).join(" · ").toUpperCase() : ""],
    ["panel.qnh", formatted(some.nav_qnh, (value) => `${number(value, 1)} hPa`)],
  ];
}

function airData(some: Aircraft): Fact[] {
  const speed = (value: number): string => measure("speed", value);
  return [
    ["panel.ias", formatted(some.ias, speed)],
    ["panel.tas", formatted(some.tas, speed)],
    ["panel.mach", formatted(some.mach, (value) => number(value, 2))],
    ["panel.geometric", formatted(some.alt_geom, (value) => measure("altitude", value))],
    ["panel.geometric_rate", formatted(some.geom_rate, (value) => measure("rate", value))],
    ["panel.true_heading", formatted(some.true_heading, bearing)],
    ["panel.heading", formatted(some.mag_heading, bearing)],
    ["panel.roll", formatted(some.roll, (value) => `${number(value, 1)}°`)],
    ["panel.wind", formatted(some.wd, (value) => `${bearing(value)} ${measure("speed", some.ws as number)}`)],
    ["panel.oat", formatted(some.oat, (value) => `${number(value)} °C`)],
  ];
}

function reception(some: Aircraft, seen: unknown): Fact[] {
  const integrity = [
    ["NIC", some.nic],
    ["NACp", some.nac_p],
    ["SIL", some.sil],
  ].filter(([, value]) => value !== undefined && value !== null);
  return [
    ["panel.position_age", formatted(some.seen_pos, age)],
    ["panel.integrity", integrity.map((pair) => pair.join(" ")).join(" · ")],
    ["panel.source", text(some.type).replaceAll("_", " ").toUpperCase()],
    ["panel.version", text(some.version)],
    ["column.receiver", text(some.receiver)],
    ["column.rssi", formatted(some.rssi, (value) => `${number(value, 1)} dBFS`)],
    ["panel.messages", formatted(some.messages, number)],
    ["panel.seen", formatted(seen, age)],
  ];
}

/** Everything that has a value: who it is, and what engineers read below, folded. `seen` is the age of the last message (s). */
export function facts(some: Aircraft, airframe: Airframe | null, seen: unknown): TemplateResult {
  const groups: Group[] = [
    { name: "autopilot", title: "panel.autopilot", facts: autopilot(some) },
    { name: "air", title: "panel.air_data", facts: airData(some) },
    { name: "reception", title: "panel.reception", facts: reception(some, seen) },
  ];
  return html`${listed(identity(some, airframe))}${groups.map(folded)}`;
}

function listed(all: Fact[]): TemplateResult {
  return html`<dl class="facts">
    ${all.map(([title, value]) => (value === "" ? nothing : html`<div><dt>${t(title)}</dt><dd>${value}</dd></div>`))}
  </dl>`;
}

function folded({ name, title, facts: all }: Group): TemplateResult | typeof nothing {
  if (all.every(([, value]) => value === "")) return nothing;
  const remember = (event: Event): void => {
    const { openFacts } = preferences.value;
    const { open } = event.target as HTMLDetailsElement;
    if (open !== openFacts.includes(name))
      prefer({ openFacts: open ? [...openFacts, name] : openFacts.filter((one) => one !== name) });
  };
  return html`<details class="fold" ?open=${preferences.value.openFacts.includes(name)} @toggle=${remember}><summary>${t(title)}</summary>${listed(all)}</details>`;
}

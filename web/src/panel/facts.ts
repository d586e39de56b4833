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

/** What receivers contradict each other about, in words. */
function disputes(names: unknown): string {
  return Array.isArray(names) ? (names as string[]).map((name) => word("dispute", name)).join(", ") : "";
}

function identity(aircraft: Aircraft, airframe: Airframe | null, isTypeNamed: boolean): Fact[] {
  const emergency =
    aircraft.emergency && aircraft.emergency !== "none" ? word("emergency", text(aircraft.emergency)) : "";
  return [
    ["panel.emergency", emergency],
    ["panel.disputed", disputes(aircraft.disputed)],
    ["panel.state", stateName(aircraft.hex)],
    ["panel.operator", text(airframe?.operator)],
    ["panel.owner", text(airframe?.owner)],
    ["column.type", isTypeNamed ? text(aircraft.t ?? airframe?.type) : ""],
    ["panel.year", text(airframe?.year)],
    [
      "column.category",
      aircraft.category ? html`${aircraft.category} <small>${word("category", text(aircraft.category))}</small>` : "",
    ],
    ["column.hex", aircraft.hex.toUpperCase()],
    ["panel.first_seen", aircraft.first_seen ? clock(aircraft.first_seen as string) : ""],
    [
      "panel.position",
      formatted(aircraft.lat, (value) => `${value.toFixed(4)}, ${(aircraft.lon as number).toFixed(4)}`),
    ],
  ];
}

function autopilot(aircraft: Aircraft): Fact[] {
  return [
    [
      "panel.selected_altitude",
      formatted(aircraft.nav_altitude_mcp ?? aircraft.nav_altitude_fms, (value) => measure("altitude", value)),
    ],
    ["panel.selected_heading", formatted(aircraft.nav_heading, bearing)],
    [
      "panel.modes",
      Array.isArray(aircraft.nav_modes) ? (aircraft.nav_modes as string[]).join(" · ").toUpperCase() : "",
    ],
    ["panel.qnh", formatted(aircraft.nav_qnh, (value) => `${number(value, 1)} hPa`)],
  ];
}

function airData(aircraft: Aircraft): Fact[] {
  const speed = (value: number): string => measure("speed", value);
  return [
    ["panel.ias", formatted(aircraft.ias, speed)],
    ["panel.tas", formatted(aircraft.tas, speed)],
    ["panel.mach", formatted(aircraft.mach, (value) => number(value, 2))],
    ["panel.geometric", formatted(aircraft.alt_geom, (value) => measure("altitude", value))],
    ["panel.geometric_rate", formatted(aircraft.geom_rate, (value) => measure("rate", value))],
    ["panel.true_heading", formatted(aircraft.true_heading, bearing)],
    ["panel.heading", formatted(aircraft.mag_heading, bearing)],
    ["panel.roll", formatted(aircraft.roll, (value) => `${number(value, 1)}°`)],
    ["panel.wind", formatted(aircraft.wd, (value) => `${bearing(value)} ${measure("speed", aircraft.ws as number)}`)],
    ["panel.oat", formatted(aircraft.oat, (value) => `${number(value)} °C`)],
  ];
}

function reception(aircraft: Aircraft, seen: unknown): Fact[] {
  const integrity = [
    ["NIC", aircraft.nic],
    ["NACp", aircraft.nac_p],
    ["SIL", aircraft.sil],
  ].filter(([, value]) => value !== undefined && value !== null);
  return [
    ["panel.position_age", formatted(aircraft.seen_pos, age)],
    ["panel.integrity", integrity.map((pair) => pair.join(" ")).join(" · ")],
    ["panel.source", text(aircraft.type).replaceAll("_", " ").toUpperCase()],
    ["panel.version", text(aircraft.version)],
    ["column.receiver", text(aircraft.receiver)],
    ["column.rssi", formatted(aircraft.rssi, (value) => `${number(value, 1)} dBFS`)],
    ["panel.messages", formatted(aircraft.messages, number)],
    ["panel.seen", formatted(seen, age)],
  ];
}

/** Everything that has a value: who it is, and what engineers read below, folded. `seen` is the age of the last message (s), `isTypeNamed` whether the head has the type in words and not by its designator. */
export function facts(
  aircraft: Aircraft,
  airframe: Airframe | null,
  seen: unknown,
  isTypeNamed: boolean,
): TemplateResult {
  const groups: Group[] = [
    { name: "autopilot", title: "panel.autopilot", facts: autopilot(aircraft) },
    { name: "air", title: "panel.air_data", facts: airData(aircraft) },
    { name: "reception", title: "panel.reception", facts: reception(aircraft, seen) },
  ];
  return html`${listed(identity(aircraft, airframe, isTypeNamed))}${groups.map(folded)}`;
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

// Which aircraft the reader wants to see.
import { distanceNm } from "../core/mercator";
import { classOf } from "./classes";
import { FLAG, type Aircraft, type Filter, type Station } from "./messages";

const TEXT_FIELDS = ["flight", "hex", "r", "t", "squawk"] as const;
const EMERGENCY_SQUAWKS = new Set(["7500", "7600", "7700"]);

/** A word that the reader looks for: it lies in one of the texts of an aircraft, or in the name of its operator. */
export interface Word {
  text: string;
  /** The designators of the operators whose names have it. */
  operators: ReadonlySet<string>;
}

export function wordsOf(text: string, operators: Partial<Record<string, string[]>> = {}): Word[] {
  return partsOf(text).map((part) => ({ text: part, operators: new Set(operators[part]) }));
}

export function partsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
}

/** Whether one of its texts is what the reader looks for, and not only a part of it. */
export function isNamed(aircraft: Aircraft, text: string): boolean {
  const name = text.trim().toLowerCase();
  return TEXT_FIELDS.some((field) => textOf(aircraft, field).trim() === name);
}

function textOf(aircraft: Aircraft, field: (typeof TEXT_FIELDS)[number]): string {
  return String(aircraft[field] ?? "").toLowerCase();
}

export function isEmergency(flags: number, squawk: unknown): boolean {
  return (flags & FLAG.emergency) !== 0 || EMERGENCY_SQUAWKS.has(String(squawk));
}

/** An emergency that not only one feeder has heard: nobody alone sounds the alarm. */
export function isAlarming(aircraft: Aircraft, flags: number): boolean {
  return isEmergency(flags, aircraft.squawk) && !aircraft.single_source;
}

export function passes(
  aircraft: Aircraft,
  flags: number,
  filter: Filter,
  words: Word[],
  station: Station | null,
): boolean {
  const ground = (flags & FLAG.ground) !== 0;
  if (filter.ground !== "all" && (filter.ground === "ground") !== ground) return false;
  if (filter.military && !(flags & FLAG.military)) return false;
  if (filter.emergency && !isEmergency(flags, aircraft.squawk)) return false;
  const altitude = ground ? 0 : aircraft.alt_baro;
  if (!within(altitude, filter.minAltitude, filter.maxAltitude)) return false;
  if (!within(aircraft.gs, filter.minSpeed, filter.maxSpeed)) return false;
  if (filter.classes.length) {
    const name = classOf(String(aircraft.t ?? ""), String(aircraft.category ?? ""), (flags & FLAG.military) !== 0);
    if (!filter.classes.includes(name)) return false;
  }
  if (filter.maxDistance !== null && station) {
    const { lat, lon } = aircraft as { lat?: number | null; lon?: number | null };
    if (typeof lat !== "number" || typeof lon !== "number") return false;
    if (distanceNm(station.lat, station.lon, lat, lon) > filter.maxDistance) return false;
  }
  return words.every(
    ({ text, operators }) =>
      TEXT_FIELDS.some((field) => textOf(aircraft, field).includes(text)) ||
      (operators.size > 0 && operators.has(String(aircraft.flight ?? "").slice(0, 3))),
  );
}

function within(value: unknown, minimum: number | null, maximum: number | null): boolean {
  if (minimum === null && maximum === null) return true;
  if (typeof value !== "number") return false;
  return (minimum === null || value >= minimum) && (maximum === null || value <= maximum);
}

export function isActive(filter: Filter): boolean {
  const { text, classes, ground, military, emergency, ...limits } = filter;
  return Boolean(
    text ||
    classes.length ||
    ground !== "all" ||
    military ||
    emergency ||
    Object.values(limits).some((limit) => limit !== null),
  );
}

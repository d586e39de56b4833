// Every aircraft that the channel speaks of, in columns, so that fifteen thousand of them a second cost little.
import { HALF_WORLD, MPS_PER_KT, bearingTo, distanceNm, mercatorX, mercatorY, stretch } from "../core/mercator";
import { classNumber } from "./classes";
import { passes, wordsOf, type Word } from "./filter";
import { FLAG, NO_FILTER, type Aircraft, type Filter, type Station, type Value } from "./messages";

/** After so many seconds without news an aircraft is no longer moved along its track. */
export const COAST_S = 20;
/** Where an aircraft is not where its track led, it is brought there within this time. */
export const EASE_S = 0.9;
const RADIANS = Math.PI / 180;
const NO_FLAG_FIELDS: Record<string, number> = { on_ground: FLAG.ground, military: FLAG.military };

export class Fleet {
  readonly slots = new Map<string, number>();
  aircraft: Aircraft[] = [];
  x = new Float64Array(0);
  y = new Float64Array(0);
  vx = new Float32Array(0);
  vy = new Float32Array(0);
  errorX = new Float32Array(0);
  errorY = new Float32Array(0);
  positionAt = new Float64Array(0);
  altitude = new Float32Array(0);
  heading = new Float32Array(0);
  flags = new Uint16Array(0);
  drawing = new Uint8Array(0);
  /** 0 not there, 1 there but filtered out, 2 shown. */
  shown = new Uint8Array(0);
  located = new Uint8Array(0);
  /** The end of the slots in use. */
  top = 0;
  /** The time of the present picture, in seconds of the picture's clock. */
  now = 0;
  private free: number[] = [];
  private filter: Filter = NO_FILTER;
  private words: Word[] = [];
  private station: Station | null = null;

  clear(): void {
    this.slots.clear();
    this.aircraft = [];
    this.free = [];
    this.shown.fill(0);
    this.located.fill(0);
    this.top = 0;
  }

  /** `operators` are the designators that words of the text stand for. */
  setFilter(filter: Filter, operators: Partial<Record<string, string[]>> = {}): void {
    this.filter = filter;
    this.words = wordsOf(filter.text, operators);
    for (const slot of this.slots.values()) this.judge(slot);
  }

  setStation(station: Station | null): void {
    this.station = station;
    for (const slot of this.slots.values()) this.judge(slot);
  }

  /** Rows of the columns form; a full state replaces everything. */
  takeRows(fields: string[], rows: Value[][], removed: string[], full: boolean, now: number): void {
    this.now = now;
    const stay = full ? new Set<string>() : null;
    for (const row of rows) {
      const aircraft: Aircraft = { hex: row[0] as string };
      for (let at = 1; at < fields.length; at += 1) aircraft[fields[at]] = row[at];
      stay?.add(aircraft.hex);
      this.put(aircraft, (aircraft.flags as number) ?? 0);
    }
    this.drop(removed, stay);
  }

  /** Whole aircraft in readsb's names, as the plain form of the channel and replays have them. */
  takeAircraft(list: Aircraft[], removed: string[], full: boolean, now: number): void {
    this.now = now;
    const stay = full ? new Set<string>() : null;
    for (const aircraft of list) {
      stay?.add(aircraft.hex);
      let flags = 0;
      for (const [field, flag] of Object.entries(NO_FLAG_FIELDS)) if (aircraft[field]) flags |= flag;
      if (aircraft.emergency && aircraft.emergency !== "none") flags |= FLAG.emergency;
      if (aircraft.alt_baro === "ground") {
        flags |= FLAG.ground;
        aircraft.alt_baro = null;
      }
      if (Array.isArray(aircraft.mlat) && aircraft.mlat.includes("lat")) flags |= FLAG.mlat;
      if (Array.isArray(aircraft.tisb) && aircraft.tisb.includes("lat")) flags |= FLAG.tisb;
      aircraft.flags = flags;
      this.put(aircraft, flags);
    }
    this.drop(removed, stay);
  }

  private drop(removed: string[], stay: Set<string> | null): void {
    for (const hex of removed) this.remove(hex);
    if (stay) for (const hex of [...this.slots.keys()]) if (!stay.has(hex)) this.remove(hex);
  }

  private remove(hex: string): void {
    const slot = this.slots.get(hex);
    if (slot === undefined) return;
    this.slots.delete(hex);
    this.shown[slot] = 0;
    this.located[slot] = 0;
    this.free.push(slot);
  }

  private put(aircraft: Aircraft, flags: number): void {
    let slot = this.slots.get(aircraft.hex);
    const isNew = slot === undefined;
    if (slot === undefined) {
      slot = this.free.pop() ?? this.top++;
      if (slot >= this.x.length) this.grow();
      this.slots.set(aircraft.hex, slot);
    }
    const before = isNew ? null : this.aircraft[slot];
    this.aircraft[slot] = aircraft;
    this.flags[slot] = flags;
    this.altitude[slot] = typeof aircraft.alt_baro === "number" ? aircraft.alt_baro : Number.NaN;
    this.drawing[slot] = classNumber(aircraft.t, aircraft.category, (flags & FLAG.military) !== 0);
    this.place(slot, aircraft, before);
    this.judge(slot);
  }

  private place(slot: number, aircraft: Aircraft, before: Aircraft | null): void {
    const { lat, lon } = aircraft;
    if (typeof lat !== "number" || typeof lon !== "number") {
      this.located[slot] = 0;
      return;
    }
    const x = mercatorX(lon);
    const y = mercatorY(lat);
    const track = typeof aircraft.track === "number" ? aircraft.track : null;
    if (track !== null) this.heading[slot] = track * RADIANS;
    else if (!before || !this.located[slot]) this.heading[slot] = 0;
    const wasLocated = before !== null && this.located[slot] === 1;
    const moved = !wasLocated || x !== this.x[slot] || y !== this.y[slot] || aircraft.lat !== before.lat;
    const ex = wasLocated ? this.drawnX(slot, this.now) : x;
    const ey = wasLocated ? this.drawnY(slot, this.now) : y;
    const speed = typeof aircraft.gs === "number" && track !== null ? aircraft.gs * MPS_PER_KT * stretch(lat) : 0;
    this.vx[slot] = speed * Math.sin(this.heading[slot]);
    this.vy[slot] = speed * Math.cos(this.heading[slot]);
    this.x[slot] = x;
    this.y[slot] = y;
    if (moved) this.positionAt[slot] = this.now;
    this.located[slot] = 1;
    const age = Math.min(COAST_S, this.now - this.positionAt[slot]);
    const errorX = ex - (x + this.vx[slot] * age);
    const errorY = ey - (y + this.vy[slot] * age);
    // A leap over the date line, or one so wide that gliding there would look like flying, is shown as a leap.
    const near = Math.abs(errorX) < 30_000 && Math.abs(errorY) < 30_000;
    this.errorX[slot] = near ? errorX : 0;
    this.errorY[slot] = near ? errorY : 0;
  }

  /** Where an aircraft is drawn at a time of the picture's clock. */
  drawnX(slot: number, now: number): number {
    const age = Math.max(0, Math.min(COAST_S, now - this.positionAt[slot]));
    const ease = Math.max(0, 1 - (now - this.easedFrom) / EASE_S);
    return this.x[slot] + this.vx[slot] * age + this.errorX[slot] * ease;
  }

  drawnY(slot: number, now: number): number {
    const age = Math.max(0, Math.min(COAST_S, now - this.positionAt[slot]));
    const ease = Math.max(0, 1 - (now - this.easedFrom) / EASE_S);
    return this.y[slot] + this.vy[slot] * age + this.errorY[slot] * ease;
  }

  private easedFrom = 0;

  /** A new picture begins: what is in the middle of easing goes on from where it is now. */
  beginPicture(now: number): void {
    const ease = Math.max(0, 1 - (now - this.easedFrom) / EASE_S);
    for (let slot = 0; slot < this.top; slot += 1) {
      this.errorX[slot] *= ease;
      this.errorY[slot] *= ease;
    }
    this.easedFrom = now;
  }

  private judge(slot: number): void {
    const aircraft = this.aircraft[slot];
    this.shown[slot] = passes(aircraft, this.flags[slot], this.filter, this.words, this.station) ? 2 : 1;
  }

  /** A field as the list shows and sorts it; distance and bearing are reckoned here. */
  valueOf(slot: number, field: string): Value {
    const aircraft = this.aircraft[slot];
    if (field === "distance") return this.fromStation(slot, distanceNm);
    if (field === "bearing") return this.fromStation(slot, bearingTo);
    // States hold their addresses in blocks.
    if (field === "flag") return aircraft.hex;
    if (field === "altitude") return this.flags[slot] & FLAG.ground ? -1 : (aircraft.alt_baro as Value);
    return aircraft[field] as Value;
  }

  private fromStation(slot: number, measure: typeof distanceNm): number | null {
    const { lat, lon } = this.aircraft[slot] as { lat?: number; lon?: number };
    if (!this.station || typeof lat !== "number" || typeof lon !== "number") return null;
    return measure(this.station.lat, this.station.lon, lat, lon);
  }

  /** What the page is given of an aircraft. */
  describe(slot: number): Aircraft {
    return {
      ...this.aircraft[slot],
      flags: this.flags[slot],
      distance: this.valueOf(slot, "distance"),
      bearing: this.valueOf(slot, "bearing"),
      drawing: this.drawing[slot],
    };
  }

  private grow(): void {
    const size = Math.max(1024, this.x.length * 2);
    const wider = <T extends Float64Array | Float32Array | Uint16Array | Uint8Array>(old: T): T => {
      const fresh = new (old.constructor as new (length: number) => T)(size);
      fresh.set(old);
      return fresh;
    };
    this.x = wider(this.x);
    this.y = wider(this.y);
    this.vx = wider(this.vx);
    this.vy = wider(this.vy);
    this.errorX = wider(this.errorX);
    this.errorY = wider(this.errorY);
    this.positionAt = wider(this.positionAt);
    this.altitude = wider(this.altitude);
    this.heading = wider(this.heading);
    this.flags = wider(this.flags);
    this.drawing = wider(this.drawing);
    this.shown = wider(this.shown);
    this.located = wider(this.located);
  }
}

/** The nearest copy of a place in a world that goes round and round. */
export function unwrap(x: number, centre: number): number {
  return x + Math.round((centre - x) / (2 * HALF_WORLD)) * 2 * HALF_WORLD;
}

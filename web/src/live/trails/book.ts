// The trails of all aircraft, as the worker makes them from the pictures: an aircraft has an anchor, the end of its last
// segment, and a new segment begins where it turns, climbs or has flown for a while. The page is sent each segment once.
import { distanceOnMap, mercatorX, mercatorY } from "../../core/mercator";
import { rampIndex } from "../../core/ramp";
import { unwrap, type Fleet } from "../fleet";
import { FLAG, type PastPicture, type TrailNews } from "../messages";

/** Words of 32 bits of a segment: x and y of both ends from the origin, its time, and its mark. */
export const SEGMENT_WORDS = 6;
/** A line leads over no longer silence than this. */
export const GAP_S = 60;
const TURN_RAD = (5 * Math.PI) / 180;
const MIN_S = 2;
const CLIMB_FT = 500;
/** On the ground and in the air, in metres. */
const MIN_M = [40, 12];
/** Faster than anything that flies: a position that was decoded wrongly. */
const FASTEST_MPS = 1300;
const LEAP_M = 5000;
/** Slots have 16 bits in a mark. */
const MAX_SLOTS = 65_536;

/** In metres of the map and seconds of the picture's clock. */
interface Place {
  x: number;
  y: number;
  at: number;
}

/** How long a straight segment may be in time: a trail of 15 minutes is looked at from farther away than one of two. */
export function longestSegment(span: number): number {
  return Math.max(8, Math.min(30, span / 24));
}

export class TrailBook {
  private span = 0;
  private run = 0;
  private began = 0;
  private now = 0;
  private origin: [number, number] | null = null;
  private hexes: string[] = [];
  private generation = new Uint8Array(0);
  private anchorX = new Float64Array(0);
  private anchorY = new Float64Array(0);
  /** NaN: there is none yet. */
  private anchorAt = new Float64Array(0);
  private heardAt = new Float64Array(0);
  private track = new Float32Array(0);
  private altitude = new Float32Array(0);
  private ground = new Uint8Array(0);
  /** Where each aircraft of the first minute was first seen: what was recorded before leads there. */
  private readonly first = new Map<string, Place>();
  private fresh = new Float32Array(4096 * SEGMENT_WORDS);
  private freshBits = new Uint32Array(this.fresh.buffer);
  private count = 0;

  /** How far back trails reach in seconds; 0 is off. */
  setSpan(span: number): void {
    if (span === this.span) return;
    // A longer trail goes on from what is there, which the page still has.
    if (!span || !this.span) this.clear();
    this.span = span;
  }

  get isOn(): boolean {
    return this.span > 0;
  }

  clear(): void {
    this.run += 1;
    this.count = 0;
    this.origin = null;
    this.hexes = [];
    this.first.clear();
    this.anchorAt.fill(Number.NaN);
  }

  /** Take what a picture has moved. */
  take(fleet: Fleet): void {
    if (!this.span) return;
    if (fleet.now < this.now) this.clear(); // A replay was wound back.
    this.now = fleet.now;
    if (fleet.x.length > this.anchorAt.length) this.grow(fleet.x.length);
    const top = Math.min(fleet.top, MAX_SLOTS);
    for (let slot = 0; slot < top; slot += 1) {
      if (!fleet.located[slot] || fleet.positionAt[slot] !== fleet.now) continue;
      if (!this.origin) {
        this.origin = [fleet.x[slot], fleet.y[slot]];
        this.began = fleet.now;
      }
      this.move(fleet, slot);
    }
  }

  private move(fleet: Fleet, slot: number): void {
    const { hex } = fleet.aircraft[slot];
    const { now } = fleet;
    if (this.hexes[slot] !== hex) {
      this.hexes[slot] = hex;
      this.generation[slot] = (this.generation[slot] % 255) + 1;
      this.anchorAt[slot] = Number.NaN;
      if (now - this.began <= GAP_S) this.first.set(hex, { x: fleet.x[slot], y: fleet.y[slot], at: now });
    }
    const silence = now - this.heardAt[slot];
    this.heardAt[slot] = now;
    const elapsed = now - this.anchorAt[slot];
    const metres = distanceOnMap(
      this.anchorX[slot],
      this.anchorY[slot],
      unwrap(fleet.x[slot], this.anchorX[slot]),
      fleet.y[slot],
    );
    if (!(silence <= GAP_S) || !(elapsed >= 0) || metres > LEAP_M + FASTEST_MPS * elapsed) {
      this.anchor(fleet, slot);
      return;
    }
    const isGround = (fleet.flags[slot] & FLAG.ground) !== 0 ? 1 : 0;
    if (metres < MIN_M[isGround]) return;
    const turned = Math.abs(
      Math.atan2(Math.sin(fleet.heading[slot] - this.track[slot]), Math.cos(fleet.heading[slot] - this.track[slot])),
    );
    const isDue =
      elapsed >= longestSegment(this.span) ||
      (turned > TURN_RAD && elapsed >= MIN_S) ||
      Math.abs(fleet.altitude[slot] - this.altitude[slot]) >= CLIMB_FT ||
      isGround !== this.ground[slot];
    if (!isDue) return;
    this.append(fleet, slot, isGround === 1);
    this.anchor(fleet, slot);
  }

  private anchor(fleet: Fleet, slot: number): void {
    this.anchorX[slot] = fleet.x[slot];
    this.anchorY[slot] = fleet.y[slot];
    this.anchorAt[slot] = fleet.now;
    this.track[slot] = fleet.heading[slot];
    this.altitude[slot] = fleet.altitude[slot];
    this.ground[slot] = (fleet.flags[slot] & FLAG.ground) !== 0 ? 1 : 0;
  }

  private append(fleet: Fleet, slot: number, isGround: boolean): void {
    this.write(
      this.anchorX[slot],
      this.anchorY[slot],
      fleet.x[slot],
      fleet.y[slot],
      fleet.now,
      markOf(slot, this.generation[slot], rampIndex(fleet.altitude[slot], isGround)),
    );
  }

  private write(fromX: number, fromY: number, toX: number, toY: number, time: number, mark: number): void {
    const at = this.count * SEGMENT_WORDS;
    if (at === this.fresh.length) {
      const wider = new Float32Array(2 * this.fresh.length);
      wider.set(this.fresh);
      this.fresh = wider;
      this.freshBits = new Uint32Array(wider.buffer);
    }
    const [originX, originY] = this.origin!;
    const x = unwrap(fromX, originX);
    this.fresh[at] = x - originX;
    this.fresh[at + 1] = fromY - originY;
    this.fresh[at + 2] = unwrap(toX, x) - originX;
    this.fresh[at + 3] = toY - originY;
    this.fresh[at + 4] = time - this.began;
    this.freshBits[at + 5] = mark;
    this.count += 1;
  }

  /** Pictures of the time before the first one, the oldest first. */
  seed(fleet: Fleet, pictures: PastPicture[]): void {
    if (!this.span || !this.origin) return;
    const last = new Map<string, Place>();
    const join = (slot: number, hex: string, to: Place, colour: number): void => {
      const from = last.get(hex);
      last.set(hex, to);
      if (from && to.at - from.at <= GAP_S)
        this.write(from.x, from.y, to.x, to.y, to.at, markOf(slot, this.generation[slot], colour));
    };
    for (const { now, aircraft } of pictures) {
      for (const { hex, lat, lon, alt_baro: altitude } of aircraft) {
        const slot = fleet.slots.get(hex);
        const first = this.first.get(hex);
        if (
          slot === undefined ||
          !first ||
          now >= first.at ||
          this.hexes[slot] !== hex ||
          typeof lat !== "number" ||
          typeof lon !== "number"
        )
          continue;
        join(
          slot,
          hex,
          { x: mercatorX(lon), y: mercatorY(lat), at: now },
          rampIndex(typeof altitude === "number" ? altitude : Number.NaN, altitude === "ground"),
        );
      }
    }
    for (const hex of last.keys()) {
      const slot = fleet.slots.get(hex)!;
      join(slot, hex, this.first.get(hex)!, rampIndex(fleet.altitude[slot], this.ground[slot] === 1));
    }
    this.first.clear();
  }

  /** What the page needs for a frame of these rows (the slot of each); null while trails are off. */
  news(fleet: Fleet, rows: Int32Array, count: number): TrailNews | null {
    if (!this.span || !this.origin) return null;
    const [originX, originY] = this.origin;
    const anchors = new Float32Array(2 * count);
    const shown = new Uint8Array(Math.max(256, Math.ceil(fleet.top / 256) * 256));
    for (let row = 0; row < count; row += 1) {
      const slot = rows[row];
      const isKnown = slot < MAX_SLOTS && this.anchorAt[slot] >= 0 && this.hexes[slot] === fleet.aircraft[slot].hex;
      const isJoined = isKnown && fleet.now - this.heardAt[slot] <= GAP_S;
      anchors[2 * row] = isJoined ? unwrap(this.anchorX[slot], originX) - originX : Number.NaN;
      anchors[2 * row + 1] = isJoined ? this.anchorY[slot] - originY : Number.NaN;
      if (isKnown) shown[slot] = this.generation[slot];
    }
    const segments = this.fresh.slice(0, this.count * SEGMENT_WORDS).buffer;
    this.count = 0;
    return {
      run: this.run,
      segments,
      anchors: anchors.buffer,
      shown: shown.buffer,
      origin: [originX, originY],
      now: fleet.now - this.began,
      span: this.span,
    };
  }

  private grow(size: number): void {
    const wider = <T extends Float64Array | Float32Array | Uint8Array>(old: T): T => {
      const fresh = new (old.constructor as new (length: number) => T)(size);
      fresh.set(old);
      return fresh;
    };
    const before = this.anchorAt.length;
    this.generation = wider(this.generation);
    this.anchorX = wider(this.anchorX);
    this.anchorY = wider(this.anchorY);
    this.anchorAt = wider(this.anchorAt).fill(Number.NaN, before);
    this.heardAt = wider(this.heardAt);
    this.track = wider(this.track);
    this.altitude = wider(this.altitude);
    this.ground = wider(this.ground);
  }
}

/** Slot, generation and colour of a segment in one word. */
export function markOf(slot: number, generation: number, colour: number): number {
  return (slot | (generation << 16) | (colour << 24)) >>> 0;
}

// The trails of all aircraft, as the worker makes them from the pictures: an aircraft has an anchor, the end of its last
// segment, and a new segment begins where it turns, climbs or has flown for a while. The page is sent each segment once.
import { distanceOnMap, mercatorX, mercatorY } from "../../core/mercator";
import { rampIndex } from "../../core/ramp";
import { unwrap, type Fleet } from "../fleet";
import { FLAG, type PastTrail, type TrailNews, type ViewState } from "../messages";

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
/** The past is asked for of what is in sight, and so much around it, in widths of the view from its middle. */
const AROUND = 0.7;
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
  /** Trails that were started over have another number. */
  run = 0;
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
  /** Where each aircraft was first seen: what was recorded before leads there. Once that is here it is forgotten. */
  private readonly first = new Map<string, Place>();
  /** Those of them that were asked about. */
  private readonly asked = new Set<string>();
  private fresh = new Float32Array(4096 * SEGMENT_WORDS);
  private freshBits = new Uint32Array(this.fresh.buffer);
  private count = 0;

  /** How far back trails reach in seconds; 0 is off. */
  setSpan(span: number): void {
    if (span === this.span) return;
    // A longer trail has more of the past, and begins anew with it.
    if (span > this.span || !span) this.clear();
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
    this.asked.clear();
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
      this.first.set(hex, { x: fleet.x[slot], y: fleet.y[slot], at: now });
      this.asked.delete(hex);
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

  /** Some of the aircraft in a view, and a little around it, whose past was not asked for yet. */
  begun(fleet: Fleet, view: ViewState, most: number): string[] {
    if (!this.span) return [];
    const [wide, high] = [view.width * view.resolution * AROUND, view.height * view.resolution * AROUND];
    const hexes: string[] = [];
    for (const hex of this.first.keys()) {
      const slot = fleet.slots.get(hex);
      if (slot === undefined) {
        this.first.delete(hex);
        this.asked.delete(hex);
      } else if (
        !this.asked.has(hex) &&
        Math.abs(unwrap(fleet.x[slot], view.x) - view.x) <= wide &&
        Math.abs(fleet.y[slot] - view.y) <= high &&
        hexes.push(hex) === most
      )
        break;
    }
    for (const hex of hexes) this.asked.add(hex);
    return hexes;
  }

  /** What was recorded of these aircraft before they were first seen here; an answer to an earlier run is not taken. */
  seed(fleet: Fleet, run: number, hexes: string[], trails: PastTrail[]): void {
    if (run !== this.run) return;
    for (const trail of trails) {
      const slot = fleet.slots.get(trail.hex);
      const first = this.first.get(trail.hex);
      if (slot !== undefined && first && this.origin && this.hexes[slot] === trail.hex)
        this.join(fleet, slot, trail, first);
    }
    for (const hex of hexes) {
      this.first.delete(hex);
      this.asked.delete(hex);
    }
  }

  private join(fleet: Fleet, slot: number, trail: PastTrail, first: Place): void {
    let from: Place | null = null;
    const lead = (to: Place, colour: number): void => {
      if (from && to.at - from.at <= GAP_S)
        this.write(from.x, from.y, to.x, to.y, to.at, markOf(slot, this.generation[slot], colour));
      from = to;
    };
    trail.at.forEach((at, index) => {
      if (at >= first.at || at < this.now - this.span) return;
      const place = { x: mercatorX(trail.lon[index]), y: mercatorY(trail.lat[index]), at };
      lead(place, rampIndex(trail.altitude_ft[index] ?? Number.NaN, trail.on_ground[index]));
    });
    lead(first, rampIndex(fleet.altitude[slot], this.ground[slot] === 1));
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

// The tracks of the selected aircraft: what the service has of each flight, and on from there with each picture.
import { dark } from "../core/preferences";
import type { Aircraft } from "../live/messages";
import { FLAG } from "../live/messages";
import { recordedTrail } from "../live/trails/recorded";
import { mercatorX, mercatorY } from "../core/mercator";
import { unwrap } from "../live/fleet";
import { altitudeColour, css } from "../core/ramp";
import type { TrailPoint } from "./planes/stage";

const GAP_S = 90;
const MAX_POINTS = 3000;
const BAND_FT = 500;

interface Raw {
  at: number;
  lat: number;
  lon: number;
  altitude: number | null;
  ground: boolean;
  gap?: boolean;
}

/** The track of one aircraft. */
class Trail {
  private points: Raw[] = [];

  constructor(
    readonly hex: string,
    private readonly changed: () => void,
  ) {
    void this.fetch();
  }

  get painted(): TrailPoint[] {
    return paint(this.points);
  }

  append(aircraft: Aircraft): void {
    const { lat, lon } = aircraft;
    if (typeof lat !== "number" || typeof lon !== "number") return;
    const last = this.points.at(-1);
    if (last && last.lat === lat && last.lon === lon) return;
    const altitude = typeof aircraft.alt_baro === "number" ? aircraft.alt_baro : null;
    this.points.push({
      at: Date.now() / 1000,
      lat,
      lon,
      altitude,
      ground: ((aircraft.flags as number) & FLAG.ground) !== 0,
    });
    if (this.points.length > MAX_POINTS) this.points.splice(0, this.points.length - MAX_POINTS);
  }

  private async fetch(): Promise<void> {
    try {
      this.points = [...(await recordedTrail(this.hex)), ...this.points];
      this.changed();
    } catch {
      // It has just gone, or was never heard with a position; what comes now is shown.
    }
  }
}

export class Trails {
  private trails: Trail[] = [];

  constructor(private readonly show: (trails: TrailPoint[][]) => void) {}

  /** Draw the tracks of these aircraft, the first of them as the main one; null: not there at the moment. */
  follow(hexes: string[], aircraft: (Aircraft | null)[]): void {
    if (!hexes.length && !this.trails.length) return;
    this.trails = hexes.map(
      (hex) => this.trails.find((trail) => trail.hex === hex) ?? new Trail(hex, () => this.recolour()),
    );
    this.trails.forEach((trail, at) => {
      const now = aircraft[at];
      if (now?.hex === trail.hex) trail.append(now);
    });
    this.show(this.trails.map((trail) => trail.painted));
  }

  recolour(): void {
    if (this.trails.length) this.show(this.trails.map((trail) => trail.painted));
  }
}

/** Points with their colours: of a band of altitude, so that a level flight is one stroke. */
export function paint(points: Raw[]): TrailPoint[] {
  let before = 0;
  return points.map((point, at) => {
    const x = at === 0 ? mercatorX(point.lon) : unwrap(mercatorX(point.lon), before);
    before = x;
    const altitude = point.altitude === null ? Number.NaN : Math.round(point.altitude / BAND_FT) * BAND_FT;
    const gap = point.gap ?? (at > 0 && point.at - points[at - 1].at > GAP_S);
    return { x, y: mercatorY(point.lat), colour: css(altitudeColour(altitude, point.ground, dark.value)), gap };
  });
}

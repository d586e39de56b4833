// The track of the selected aircraft: what the service has of its flight, and on from there with each picture.
import { dark } from "../core/preferences";
import type { Aircraft } from "../live/messages";
import { FLAG } from "../live/messages";
import { call } from "../session/api";
import { mercatorX, mercatorY } from "./mercator";
import { unwrap } from "../live/fleet";
import { altitudeColour, css } from "./ramp";
import type { TrailPoint } from "./stage";

const GAP_S = 90;
const MOST_POINTS = 3000;
const BAND_FT = 500;

interface Raw {
  at: number;
  lat: number;
  lon: number;
  altitude: number | null;
  ground: boolean;
  gap?: boolean;
}

interface TrailAnswer {
  trail?: { at: string; lat: number; lon: number; altitude_ft: number | null; on_ground: boolean }[];
}

export class Trails {
  private hex: string | null = null;
  private points: Raw[] = [];

  constructor(private readonly show: (trails: TrailPoint[][]) => void) {}

  follow(aircraft: Aircraft | null): void {
    if (!aircraft) {
      if (this.hex !== null) this.show([]);
      this.hex = null;
      this.points = [];
      return;
    }
    if (aircraft.hex !== this.hex) {
      this.hex = aircraft.hex;
      this.points = [];
      this.show([]);
      void this.fetch(aircraft.hex);
    }
    this.append(aircraft);
  }

  recolour(): void {
    if (this.hex !== null) this.show([paint(this.points)]);
  }

  private append(aircraft: Aircraft): void {
    const { lat, lon } = aircraft;
    if (typeof lat !== "number" || typeof lon !== "number") return;
    const last = this.points.at(-1);
    if (last && last.lat === lat && last.lon === lon) return;
    const altitude = typeof aircraft.alt_baro === "number" ? aircraft.alt_baro : null;
    this.points.push({ at: Date.now() / 1000, lat, lon, altitude, ground: ((aircraft.flags as number) & FLAG.ground) !== 0 });
    if (this.points.length > MOST_POINTS) this.points.splice(0, this.points.length - MOST_POINTS);
    this.show([paint(this.points)]);
  }

  private async fetch(hex: string): Promise<void> {
    try {
      const { trail: points = [] } = await call<TrailAnswer>(`aircraft/${hex}/trail`);
      if (hex !== this.hex) return;
      const earlier = points.map((point) => ({
        at: Date.parse(point.at) / 1000,
        lat: point.lat,
        lon: point.lon,
        altitude: point.altitude_ft,
        ground: point.on_ground,
      }));
      this.points = [...earlier, ...this.points];
      this.show([paint(this.points)]);
    } catch {
      // It has just gone, or was never heard with a position; what comes now is shown.
    }
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

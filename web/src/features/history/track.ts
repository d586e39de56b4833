// Points of stored tracks, as the map's trails take them.
import type { Schemas } from "../../session/operations";

export type TrackPoint = Schemas["TrackPoint"];

export interface RawPoint {
  at: number;
  lat: number;
  lon: number;
  altitude: number | null;
  ground: boolean;
  gap: boolean;
}

export function raw(points: TrackPoint[]): RawPoint[] {
  return points.map((point) => ({
    at: Date.parse(point.at) / 1000,
    lat: point.lat,
    lon: point.lon,
    altitude: point.altitude_ft,
    ground: point.on_ground,
    gap: point.gap ?? false,
  }));
}

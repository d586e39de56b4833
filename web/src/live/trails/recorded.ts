// What the service has of the present flight of one aircraft. The map draws it, and the panel its altitudes: of those who
// ask within a moment the first alone asks the service.
import { call } from "../../session/api";

export interface Recorded {
  /** Unix seconds. */
  at: number;
  lat: number;
  lon: number;
  altitude: number | null;
  ground: boolean;
}

const SHARED_MS = 3000;
const asked = new Map<string, Promise<Recorded[]>>();

/** The positions of the present flight, oldest first; it fails where the aircraft has gone. */
export function recordedTrail(hex: string): Promise<Recorded[]> {
  const before = asked.get(hex);
  if (before) return before;
  const points = fetchTrail(hex);
  asked.set(hex, points);
  setTimeout(() => asked.delete(hex), SHARED_MS);
  return points;
}

async function fetchTrail(hex: string): Promise<Recorded[]> {
  const { trail } = await call("GET aircraft/{icao_hex}/trail", { path: { icao_hex: hex } });
  return trail.map((point) => ({
    at: Date.parse(point.at) / 1000,
    lat: point.lat,
    lon: point.lon,
    altitude: point.altitude_ft,
    ground: point.on_ground,
  }));
}

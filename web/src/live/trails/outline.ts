// The range outline: the farthest position in each direction from the station within a day.
import { bearingTo, distanceNm } from "../../core/mercator";
import type { Fleet } from "../fleet";
import { FLAG, type Station } from "../messages";

const SECTORS = 36;
const DAY_S = 86_400;
/** With fewer directions there is no shape yet. */
const MIN_SECTORS = 8;

/** How far an antenna near the ground (100 ft) hears an aircraft at this altitude (ft). */
function horizonNm(altitude: number): number {
  return 1.23 * (Math.sqrt(Math.max(altitude, 0)) + 10);
}

export class Outline {
  private station: Station | null = null;
  private readonly farthest = new Float32Array(SECTORS);
  private readonly at = new Float64Array(SECTORS);
  private readonly lat = new Float64Array(SECTORS);
  private readonly lon = new Float64Array(SECTORS);
  private isChanged = false;

  setStation(station: Station | null): void {
    if (station?.lat === this.station?.lat && station?.lon === this.station?.lon) return;
    this.station = station;
    this.clear();
  }

  clear(): void {
    this.farthest.fill(0);
    this.isChanged = true;
  }

  /** Positions that were heard before the page was opened: `[lat, lon]`. */
  seed(points: readonly (readonly number[])[], now: number): void {
    for (const [lat, lon] of points) this.put(lat, lon, now);
  }

  /** The positions of a picture that are new. */
  take(fleet: Fleet): void {
    if (!this.station) return;
    for (let slot = 0; slot < fleet.top; slot += 1) {
      if (!fleet.located[slot] || fleet.positionAt[slot] !== fleet.now) continue;
      if (fleet.flags[slot] & (FLAG.mlat | FLAG.tisb)) continue;
      const { lat, lon } = fleet.aircraft[slot] as unknown as { lat: number; lon: number };
      const altitude = fleet.flags[slot] & FLAG.ground ? 0 : fleet.altitude[slot];
      // Whoever is beyond the horizon, or whose altitude nobody knows, was not heard by this antenna.
      if (distanceNm(this.station.lat, this.station.lon, lat, lon) <= horizonNm(altitude))
        this.put(lat, lon, fleet.now);
    }
  }

  private put(lat: number, lon: number, now: number): void {
    const { station } = this;
    if (!station) return;
    const distance = distanceNm(station.lat, station.lon, lat, lon);
    const sector = Math.floor((bearingTo(station.lat, station.lon, lat, lon) / 360) * SECTORS) % SECTORS;
    if (distance <= this.farthest[sector] && now - this.at[sector] < DAY_S) return;
    this.farthest[sector] = distance;
    this.at[sector] = now;
    this.lat[sector] = lat;
    this.lon[sector] = lon;
    this.isChanged = true;
  }

  /** Longitudes and latitudes in the order of directions, if they are others than those that were last asked for. */
  changes(): [number, number][] | null {
    if (!this.isChanged) return null;
    this.isChanged = false;
    const points: [number, number][] = [];
    for (let sector = 0; sector < SECTORS; sector += 1) {
      if (this.farthest[sector] > 0) points.push([this.lon[sector], this.lat[sector]]);
    }
    return points.length < MIN_SECTORS ? [] : points;
  }
}

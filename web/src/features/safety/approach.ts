// Two tracks brought to the same times: how far apart two aircraft were, second by second.
import { distanceNm } from "../../core/mercator";

export interface Fix {
  /** Unix seconds. */
  at: number;
  lat: number;
  lon: number;
  altitude: number | null;
  /** Nothing was heard between the fix before and this one. */
  gap: boolean;
}

export interface Place {
  lat: number;
  lon: number;
  altitude: number | null;
}

export interface Sample {
  at: number;
  distance_nm: number;
  /** Null where the altitude of either is not known. */
  vertical_ft: number | null;
  one: Place;
  two: Place;
}

/** Where an aircraft was, on the line between two fixes; null before, behind and where nothing was heard. */
export function placeAt(track: Fix[], at: number): Place | null {
  const next = track.findIndex((fix) => fix.at >= at);
  if (next < 0) return null;
  const after = track[next];
  if (after.at === at) return after;
  const before = track[next - 1];
  if (!before || after.gap) return null;
  const share = (at - before.at) / (after.at - before.at);
  const between = (a: number, b: number): number => a + (b - a) * share;
  const turn = ((after.lon - before.lon + 540) % 360) - 180;
  const altitude =
    before.altitude === null || after.altitude === null ? null : between(before.altitude, after.altitude);
  return { lat: between(before.lat, after.lat), lon: before.lon + turn * share, altitude };
}

export function sampleAt(one: Fix[], two: Fix[], at: number): Sample | null {
  const [a, b] = [placeAt(one, at), placeAt(two, at)];
  if (!a || !b) return null;
  const vertical_ft = a.altitude === null || b.altitude === null ? null : Math.abs(a.altitude - b.altitude);
  return { at, distance_nm: distanceNm(a.lat, a.lon, b.lat, b.lon), vertical_ft, one: a, two: b };
}

/** Both at each second of a span at which both were heard. */
export function approach(one: Fix[], two: Fix[], from: number, to: number): Sample[] {
  const samples: Sample[] = [];
  for (let at = Math.ceil(from); at <= to; at += 1) {
    const sample = sampleAt(one, two, at);
    if (sample) samples.push(sample);
  }
  return samples;
}

/** The sample with the least horizontal distance. */
export function nearest(samples: Sample[]): Sample | null {
  return samples.reduce<Sample | null>((best, one) => (best && best.distance_nm <= one.distance_nm ? best : one), null);
}

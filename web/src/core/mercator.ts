// Web Mercator (EPSG:3857) and the great circle, without the map library: the worker needs them, too.
const RADIUS_M = 6378137;
export const HALF_WORLD = Math.PI * RADIUS_M;
const LIMIT_LAT = 85.06;
const EARTH_NM = 3440.065;
const RADIANS = Math.PI / 180;
export const MPS_PER_KT = 0.514444;

export function mercatorX(lon: number): number {
  return lon * RADIANS * RADIUS_M;
}

export function mercatorY(lat: number): number {
  const clamped = Math.max(-LIMIT_LAT, Math.min(LIMIT_LAT, lat));
  return RADIUS_M * Math.log(Math.tan(Math.PI / 4 + (clamped * RADIANS) / 2));
}

export function toLon(x: number): number {
  const lon = x / RADIUS_M / RADIANS;
  return ((((lon + 180) % 360) + 360) % 360) - 180;
}

export function toLat(y: number): number {
  return (2 * Math.atan(Math.exp(y / RADIUS_M)) - Math.PI / 2) / RADIANS;
}

/** How much longer a metre is on the map than on the ground. */
export function stretch(lat: number): number {
  return 1 / Math.cos(Math.max(-LIMIT_LAT, Math.min(LIMIT_LAT, lat)) * RADIANS);
}

/** Metres on the ground between two near places of the map. */
export function distanceOnMap(x1: number, y1: number, x2: number, y2: number): number {
  return Math.hypot(x2 - x1, y2 - y1) / Math.cosh(y1 / RADIUS_M);
}

/** Distance in nautical miles on the sphere (haversine). */
export function distanceNm(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const dLat = ((lat2 - lat1) * RADIANS) / 2;
  const dLon = ((lon2 - lon1) * RADIANS) / 2;
  const h = Math.sin(dLat) ** 2 + Math.cos(lat1 * RADIANS) * Math.cos(lat2 * RADIANS) * Math.sin(dLon) ** 2;
  return 2 * EARTH_NM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** True bearing from the first to the second point, in degrees. */
export function bearingTo(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const dLon = (lon2 - lon1) * RADIANS;
  const y = Math.sin(dLon) * Math.cos(lat2 * RADIANS);
  const x =
    Math.cos(lat1 * RADIANS) * Math.sin(lat2 * RADIANS) -
    Math.sin(lat1 * RADIANS) * Math.cos(lat2 * RADIANS) * Math.cos(dLon);
  return (Math.atan2(y, x) / RADIANS + 360) % 360;
}

/** The point at a distance and bearing from another. */
export function destination(lat: number, lon: number, bearing: number, nm: number): [number, number] {
  const d = nm / EARTH_NM;
  const b = bearing * RADIANS;
  const lat1 = lat * RADIANS;
  const lat2 = Math.asin(Math.sin(lat1) * Math.cos(d) + Math.cos(lat1) * Math.sin(d) * Math.cos(b));
  const dLon = Math.atan2(Math.sin(b) * Math.sin(d) * Math.cos(lat1), Math.cos(d) - Math.sin(lat1) * Math.sin(lat2));
  return [lat2 / RADIANS, lon + dLon / RADIANS];
}

// Where the sun stands overhead, and where it is night (Astronomical Almanac, low precision: within 0.02 degrees to 2050).
const RADIANS = Math.PI / 180;
const J2000_MS = Date.UTC(2000, 0, 1, 12);
const DAY_MS = 86_400_000;
const STEP = 2;
/** At the equinoxes the line would be straight through the poles. */
const LEAST_DECLINATION = 0.05;

/** Latitude and longitude of the place that has the sun overhead, in degrees. */
export function subsolarPoint(at: Date): [lat: number, lon: number] {
  const days = (at.getTime() - J2000_MS) / DAY_MS;
  const anomaly = (357.528 + 0.9856003 * days) * RADIANS;
  const longitude = 280.46 + 0.9856474 * days + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly);
  const obliquity = (23.439 - 0.0000004 * days) * RADIANS;
  const sine = Math.sin(longitude * RADIANS);
  const ascension = Math.atan2(Math.cos(obliquity) * sine, Math.cos(longitude * RADIANS)) / RADIANS;
  const sidereal = 280.46061837 + 360.98564736629 * days;
  const lon = (((ascension - sidereal + 180) % 360) + 360) % 360;
  return [Math.asin(Math.sin(obliquity) * sine) / RADIANS, lon - 180];
}

/** The ring around the part of the map where the sun is below the horizon, as longitudes and latitudes. */
export function night(at: Date, maxLat = 85): [lon: number, lat: number][] {
  const [declination, noon] = subsolarPoint(at);
  const steep =
    Math.abs(declination) < LEAST_DECLINATION ? LEAST_DECLINATION * (declination < 0 ? -1 : 1) : declination;
  const line: [number, number][] = [];
  for (let lon = -180; lon <= 180; lon += STEP) {
    const lat = Math.atan(-Math.cos((lon - noon) * RADIANS) / Math.tan(steep * RADIANS)) / RADIANS;
    line.push([lon, Math.max(-maxLat, Math.min(maxLat, lat))]);
  }
  const dark = steep > 0 ? -maxLat : maxLat;
  return [...line, [180, dark], [-180, dark], line[0]];
}

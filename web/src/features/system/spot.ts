// A position on the map as the console's page of the station takes it.
export interface Spot {
  lat: number;
  lon: number;
}

/** A ten-thousandth of a degree is 11 m: nobody clicks better, and an antenna is not told closer. */
const DIGITS = 4;

/** Coordinates as a text. */
export function degrees(spot: Spot): string {
  return `${spot.lat.toFixed(DIGITS)}, ${wrapped(spot.lon).toFixed(DIGITS)}`;
}

/** The console's page with the position filled in, below the address of the application. */
export function consoleAddress(spot: Spot): string {
  const query = new URLSearchParams({
    step: "2",
    lat: spot.lat.toFixed(DIGITS),
    lon: wrapped(spot.lon).toFixed(DIGITS),
  });
  return `console/station?${query.toString()}`;
}

/** The map repeats itself to the left and the right. */
function wrapped(lon: number): number {
  return ((((lon + 180) % 360) + 360) % 360) - 180;
}

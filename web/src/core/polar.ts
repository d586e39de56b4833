// Ranges by bearing, drawn around a centre with north up.

/** The width of the sectors in which the service gives the range of a receiver; each is named by its beginning. */
export const SECTOR_DEG = 10;

/** The corners ("x y") of a shape whose sectors, from north on, have the same distance from edge to edge; `most` is at `radius`. */
export function corners(distances: (number | null)[], most: number, centre: number, radius: number): string[] {
  const width = (2 * Math.PI) / distances.length;
  const at = (angle: number, distance: number): string => {
    const far = (distance / most) * radius;
    return `${(centre + far * Math.sin(angle)).toFixed(1)} ${(centre - far * Math.cos(angle)).toFixed(1)}`;
  };
  return distances.flatMap((distance, sector) => [
    at(sector * width, distance ?? 0),
    at((sector + 1) * width, distance ?? 0),
  ]);
}

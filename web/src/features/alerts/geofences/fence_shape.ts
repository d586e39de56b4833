// The shape of a geofence: rings of places, as text for the keyboard, and as GeoJSON for the service.
import type { Schemas } from "../../../session/operations";

export type Place = [lon: number, lat: number];
export type Ring = Place[];
export type Geometry = Schemas["GeofenceRecord"]["geometry"];

const CIRCLE_CORNERS = 48;
const EARTH_NM = 3440.065;
const RADIANS = Math.PI / 180;

/** Polygons of a geometry, each a list of open rings, the outline first; edges that cross the date line go on beyond 180 degrees. */
export function polygonsOf({ type, coordinates }: Geometry): Ring[][] {
  const polygons = (type === "Polygon" ? [coordinates] : coordinates) as number[][][][];
  return polygons.map((rings) =>
    rings.map((ring) => unrolled(ring.slice(0, -1).map(([lon, lat]) => [lon, lat] as Place))),
  );
}

function unrolled(ring: Ring): Ring {
  const out: Ring = [];
  for (const [lon, lat] of ring) {
    const before = out.at(-1)?.[0] ?? lon;
    out.push([lon + Math.round((before - lon) / 360) * 360, lat]);
  }
  return out;
}

/** Rings in any order: one that lies in another is its hole. */
export function assemble(rings: Ring[]): Ring[][] {
  const depth = rings.map(
    (ring, at) => rings.filter((other, index) => index !== at && contains(other, ring[0])).length,
  );
  const outlines = rings.map((_, at) => at).filter((at) => depth[at] % 2 === 0);
  const polygons = new Map(outlines.map((at) => [at, [rings[at]]]));
  for (const [at, ring] of rings.entries()) {
    if (depth[at] % 2 === 0) continue;
    const outline = outlines.find((one) => depth[one] === depth[at] - 1 && contains(rings[one], ring[0]));
    if (outline !== undefined) polygons.get(outline)!.push(ring);
  }
  return [...polygons.values()];
}

export function contains(ring: Ring, [x, y]: Place): boolean {
  let inside = false;
  for (let at = 0, last = ring.length - 1; at < ring.length; last = at, at += 1) {
    const [x1, y1] = ring[at];
    const [x2, y2] = ring[last];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

export function geometryOf(polygons: Ring[][]): Geometry {
  const closed = polygons.map((rings) =>
    rings.map((ring) => [...ring, ring[0]].map(([lon, lat]) => [wrapped(lon), rounded(lat)])),
  );
  return closed.length === 1
    ? { type: "Polygon", coordinates: closed[0] }
    : { type: "MultiPolygon", coordinates: closed };
}

const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;
const wrapped = (lon: number): number =>
  lon >= -180 && lon <= 180 ? rounded(lon) : rounded(((((lon + 180) % 360) + 360) % 360) - 180);

export class ShapeFault extends Error {}

/** Lines `latitude, longitude`; an empty line begins another ring. Raises ShapeFault with the line that cannot be read. */
export function readRings(text: string): Ring[] {
  const rings: Ring[] = [[]];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const plain = line.trim();
    if (!plain) {
      if (rings.at(-1)!.length) rings.push([]);
      continue;
    }
    const numbers = plain
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(Number);
    const [lat, lon] = numbers;
    if (
      numbers.length !== 2 ||
      !Number.isFinite(lat) ||
      !Number.isFinite(lon) ||
      Math.abs(lat) > 90 ||
      Math.abs(lon) > 540
    )
      throw new ShapeFault(String(at + 1));
    rings.at(-1)!.push([lon, lat]);
  }
  return rings.filter((ring) => ring.length).map(unrolled);
}

export function writeRings(polygons: Ring[][]): string {
  return polygons
    .flat()
    .map((ring) => ring.map(([lon, lat]) => `${rounded(lat)}, ${wrapped(lon)}`).join("\n"))
    .join("\n\n");
}

export function circle([lon, lat]: Place, radiusNm: number): Ring {
  const distance = radiusNm / EARTH_NM;
  const from = lat * RADIANS;
  return Array.from({ length: CIRCLE_CORNERS }, (_, at) => {
    const bearing = (at / CIRCLE_CORNERS) * 2 * Math.PI;
    const to = Math.asin(Math.sin(from) * Math.cos(distance) + Math.cos(from) * Math.sin(distance) * Math.cos(bearing));
    const turn = Math.atan2(
      Math.sin(bearing) * Math.sin(distance) * Math.cos(from),
      Math.cos(distance) - Math.sin(from) * Math.sin(to),
    );
    return [lon + turn / RADIANS, to / RADIANS] as Place;
  });
}

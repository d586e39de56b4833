// The cells that the ground is cut into (ground.mjs): which of them a view shows, and what they contain as features.
import Feature from "ol/Feature";
import type Geometry from "ol/geom/Geometry";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import Polygon from "ol/geom/Polygon";
import { fromLonLat } from "ol/proj";

const PARTS = 1000;
const RUNWAY_PARTS = 100_000;
/** Web Mercator ends here. */
const MAX_LAT = 85.05;

export interface CellSize {
  kind: "region" | "names" | "local";
  /** Degrees. */
  side: number;
}

export const REGION: CellSize = { kind: "region", side: 10 };
export const NAMES: CellSize = { kind: "names", side: 10 };
export const LOCAL: CellSize = { kind: "local", side: 5 };

type Town = [name: string, x: number, y: number, population: number];
type Airport = [x: number, y: number, code: string, icao: string, name: string];

/** Both ends, the width in ft, and the numbers at the ends. */
type Runway = [x: number, y: number, dx: number, dy: number, width: number, from: string, to: string];

export interface Cell {
  land?: number[][][];
  lakes?: number[][][];
  coast?: number[][];
  borders?: number[][];
  rivers?: number[][];
  towns?: Town[];
  airports?: Airport[];
  runways?: Runway[];
}

/** Whether there is a cell: one hexadecimal digit says it of four of them. */
export function isThere(map: string, { side }: CellSize, x: number, y: number): boolean {
  const at = x * (180 / side) + y;
  return ((Number.parseInt(map[at >> 2] ?? "0", 16) >> (3 - (at & 3))) & 1) === 1;
}

/** The cells that a view shows, in degrees from west to east, which may lie beyond the 180th meridian. */
export function cellsIn({ side }: CellSize, [west, south, east, north]: number[]): [number, number][] {
  const columns = 360 / side;
  const rows = columns / 2;
  const cells: [number, number][] = [];
  const first = Math.floor((west + 180) / side);
  const last = Math.min(first + columns - 1, Math.floor((east + 180) / side));
  const top = Math.min(rows - 1, Math.floor((north + 90) / side));
  for (let x = first; x <= last; x += 1) {
    for (let y = Math.max(0, Math.floor((south + 90) / side)); y <= top; y += 1)
      cells.push([((x % columns) + columns) % columns, y]);
  }
  return cells;
}

/** Positions on the map of numbers that are each the distance from the one before. */
export function unpacked(numbers: readonly number[], parts = PARTS): number[][] {
  const points: number[][] = [];
  let [x, y] = [0, 0];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    x += numbers[at];
    y += numbers[at + 1];
    points.push(placed(x / parts, y / parts));
  }
  return points;
}

/** The map takes rings whose end is their beginning. */
const closed = (points: number[][]): number[][] => [...points, points[0]];

function placed(lon: number, lat: number): number[] {
  return fromLonLat([lon, Math.max(-MAX_LAT, Math.min(MAX_LAT, lat))]);
}

/** What a cell shows; a region first covers what coarser land is below it with sea. */
export function featuresOf(cell: Cell, size: CellSize, x: number, y: number): Feature[] {
  const features: Feature[] = [];
  const add = (kind: string, geometry: Geometry, more: object = {}): void =>
    void features.push(new Feature({ geometry, kind, ...more }));
  if (size === REGION) {
    const [west, south] = [x * size.side - 180, y * size.side - 90];
    const [east, north] = [west + size.side, south + size.side];
    add(
      "sea",
      new Polygon([
        [placed(west, south), placed(east, south), placed(east, north), placed(west, north), placed(west, south)],
      ]),
    );
  }
  for (const rings of cell.land ?? []) add("land", new Polygon(rings.map((ring) => closed(unpacked(ring)))));
  for (const rings of cell.lakes ?? []) add("lake", new Polygon(rings.map((ring) => closed(unpacked(ring)))));
  for (const line of cell.rivers ?? []) add("river", new LineString(unpacked(line)));
  for (const line of cell.coast ?? []) add("coast", new LineString(unpacked(line)));
  for (const line of cell.borders ?? []) add("border", new LineString(unpacked(line)));
  for (const [endX, endY, dx, dy, width, ...numbers] of cell.runways ?? [])
    add("runway", new LineString(unpacked([endX, endY, dx, dy], RUNWAY_PARTS)), { width, numbers });
  for (const [name, townX, townY, population] of cell.towns ?? [])
    add("town", new Point(placed(townX / PARTS, townY / PARTS)), { name, population });
  for (const [airportX, airportY, code, icao, name] of cell.airports ?? []) {
    add("airport", new Point(placed(airportX / PARTS, airportY / PARTS)), {
      code,
      icao,
      name,
      isSmall: size === LOCAL,
    });
  }
  return features;
}

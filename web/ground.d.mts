export type Point = number[];
export function rowsOf(text: string): Record<string, string>[];
export function runwaysOf(
  rows: Record<string, string>[],
  airportAt: Map<string, Point>,
): [Point, Point, number, [string, string]][];
export function clipRing(ring: Point[], axis: 0 | 1, low: number, high: number): Point[];
export function clipLine(line: Point[], axis: 0 | 1, low: number, high: number): Point[][];
export function onPlane(rings: Point[][]): Point[][][];

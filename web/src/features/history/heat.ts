// Where aircraft were, as a smooth field: each cell of the service spreads over its neighbours.
import ImageLayer from "ol/layer/Image";
import { fromLonLat } from "ol/proj";
import ImageCanvasSource from "ol/source/ImageCanvas";
import type { Schemas } from "../../session/operations";
import { HALF_WORLD, stretch, toLat } from "../../core/mercator";

export type Cell = Schemas["HeatmapCell"];

export interface Deposit {
  x: number;
  y: number;
  value: number;
}

/** The field is reckoned on a grid of so many pixels, and drawn with its points joined smoothly. */
const GRID_PX = 4;
/** How far a cell spreads, in its own size: less shows its edges, more blurs what is known. */
const SPREAD = 0.6;
const MIN_SPREAD = 1.2;
const BLURS = 3;
const COLOURS = 256;
/** From this share of the scale on the field is as opaque as it gets. */
const FULL_SHARE = 0.35;
const OPACITY = 0.8;

/** The value at each point of a grid, spread by a bell of `sigma` grid steps; the sum of all stays, but for the edges. */
export function spread(deposits: Deposit[], width: number, height: number, sigma: number): Float32Array {
  let field: Float32Array = new Float32Array(width * height);
  for (const { x, y, value } of deposits) {
    const [left, top] = [Math.floor(x), Math.floor(y)];
    for (const [column, row] of [
      [left, top],
      [left + 1, top],
      [left, top + 1],
      [left + 1, top + 1],
    ]) {
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      field[row * width + column] += value * (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
    }
  }
  for (const radius of radii(sigma)) {
    field = blurred(field, height, width, width, 1, radius);
    field = blurred(field, width, height, 1, width, radius);
  }
  return field;
}

/** Half widths of box filters whose sequence approximates a Gaussian (central limit theorem): their variances add up to its. */
function radii(sigma: number): number[] {
  const small = Math.max(1, Math.floor((Math.sqrt((12 * sigma * sigma) / BLURS + 1) - 1) / 2));
  const variance = (radius: number): number => ((2 * radius + 1) ** 2 - 1) / 12;
  const larger = Math.round((sigma * sigma - BLURS * variance(small)) / (variance(small + 1) - variance(small)));
  return Array.from({ length: BLURS }, (_, turn) => (turn < larger ? small + 1 : small));
}

/** A running mean along `count` lines of `length` points; `across` and `along` are the steps between lines and points. */
function blurred(
  field: Float32Array,
  count: number,
  length: number,
  across: number,
  along: number,
  radius: number,
): Float32Array {
  const result = new Float32Array(field.length);
  for (let line = 0; line < count; line += 1) {
    const start = line * across;
    let sum = 0;
    for (let at = 0; at < Math.min(radius, length); at += 1) sum += field[start + at * along];
    for (let at = 0; at < length; at += 1) {
      if (at + radius < length) sum += field[start + (at + radius) * along];
      if (at - radius - 1 >= 0) sum -= field[start + (at - radius - 1) * along];
      result[start + at * along] = Math.max(0, sum) / (2 * radius + 1);
    }
  }
  return result;
}

/** The place on the scale (0 to 1), which is logarithmic: a busy airport must not hide the airways. */
export function shareOf(seconds: number, most: number): number {
  return Math.min(1, Math.log1p(seconds) / Math.log1p(most));
}

/** Red, green, blue of a place on the scale. */
export function heatColour(share: number, [low, middle, high]: readonly string[]): number[] {
  return share < 0.5 ? mix(low, middle, share * 2) : mix(middle, high, share * 2 - 1);
}

export function opacityOf(share: number): number {
  return OPACITY * Math.min(1, share / FULL_SHARE);
}

function mix(from: string, to: string, share: number): number[] {
  const parts = (text: string): number[] => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const [a, b] = [parts(from), parts(to)];
  return a.map((part, at) => Math.round(part + (b[at] - part) * share));
}

export function mostOf(cells: Cell[]): number {
  return Math.max(1, ...cells.map((cell) => cell.aircraft_s));
}

export function heatLayer(cells: Cell[], size: number, colours: readonly string[]): ImageLayer<ImageCanvasSource> {
  const most = mostOf(cells);
  const places = cells.map(({ lat, lon, aircraft_s: value }) => ({ place: fromLonLat([lon, lat]), value }));
  const shades = Array.from({ length: COLOURS }, (_, at) => [
    ...heatColour(at / (COLOURS - 1), colours),
    255 * opacityOf(at / (COLOURS - 1)),
  ]);
  const canvasFunction = (
    extent: number[],
    resolution: number,
    ratio: number,
    [width, height]: number[],
  ): HTMLCanvasElement => {
    const unit = (resolution / ratio) * GRID_PX;
    const columns = Math.ceil(width / GRID_PX);
    const rows = Math.ceil(height / GRID_PX);
    const [west, , , north] = extent;
    const side = (size / 180) * HALF_WORLD;
    const tall = side * stretch(toLat((extent[1] + north) / 2));
    const area = (side * tall) / unit ** 2;
    const middle = (extent[0] + extent[2]) / 2;
    const deposits = places.map(({ place: [x, y], value }) => ({
      x: (x + Math.round((middle - x) / (2 * HALF_WORLD)) * 2 * HALF_WORLD - west) / unit,
      y: (north - y) / unit,
      value,
    }));
    const field = spread(deposits, columns, rows, Math.max(MIN_SPREAD, SPREAD * Math.sqrt(area)));
    return enlarged(
      painted(field, columns, rows, (value) => shades[Math.round(shareOf(value * area, most) * (COLOURS - 1))]),
      width,
      height,
    );
  };
  return new ImageLayer({ source: new ImageCanvasSource({ canvasFunction, ratio: 1.2 }), zIndex: 3 });
}

function painted(
  field: Float32Array,
  columns: number,
  rows: number,
  shade: (value: number) => number[],
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(columns, rows);
  field.forEach((value, at) => value > 0 && image.data.set(shade(value), at * 4));
  context.putImageData(image, 0, 0);
  return canvas;
}

function enlarged(small: HTMLCanvasElement, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d")!;
  context.imageSmoothingQuality = "high";
  context.drawImage(small, 0, 0, small.width * GRID_PX, small.height * GRID_PX);
  return canvas;
}

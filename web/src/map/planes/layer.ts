// The aircraft of one frame, as the map's two layers (WebGL, canvas) take them.
import { STRIDE, type Label } from "../../live/messages";
import type { TrailRing } from "../all_trails/ring";

export interface Picture {
  count: number;
  data: Float32Array;
  bits: Uint32Array;
  at: number;
  speed: number;
  labels: Label[];
  selectedRow: number;
  alsoRows: number[];
  fastest: number;
}

export interface MapView {
  x: number;
  y: number;
  resolution: number;
  /** In CSS pixels. */
  width: number;
  height: number;
  ratio: number;
}

/** What is drawn below the aircraft, on their canvas; `count` is how many aircraft there are. */
export interface Underlay {
  draw(view: MapView, elapsed: number, dark: boolean, count: number): void;
}

export interface AircraftLayer {
  readonly kind: "webgl" | "canvas";
  readonly canvas: HTMLCanvasElement;
  /** Whether it draws the labels as well. */
  readonly drawsLabels: boolean;
  /** The trails of all aircraft, once there are any. */
  underlay: Underlay | null;
  /** Have the trails of this ring drawn from now on. */
  drawTrails(ring: TrailRing): Promise<void>;
  take(picture: Picture): void;
  /** `elapsed` is the time of the picture's clock since the picture was made, in seconds. */
  draw(view: MapView, elapsed: number, dark: boolean): void;
  /** Colours or fonts of labels are other ones. */
  forget?(): void;
  destroy(): void;
}

/** Length of an aircraft of scale 1 on the screen, in CSS pixels. */
export function sizeAt(resolution: number): number {
  const zoom = Math.log2(156543.03 / resolution);
  return Math.max(15, Math.min(34, 15 + (zoom - 4) * 2.3));
}

export const COAST_S = 20;
export const EASE_S = 0.9;

/** Where row `row` is on the screen, `elapsed` seconds after its picture was made. */
export function positionOf(picture: Picture, row: number, view: MapView, elapsed: number): [number, number] {
  const at = row * STRIDE;
  const { data } = picture;
  const age = Math.max(0, Math.min(COAST_S, elapsed - data[at + 8]));
  const ease = Math.max(0, 1 - elapsed / EASE_S);
  const x = data[at] - view.x + data[at + 1] + data[at + 4] * age + data[at + 6] * ease;
  const y = data[at + 2] - view.y + data[at + 3] + data[at + 5] * age + data[at + 7] * ease;
  return [x / view.resolution + view.width / 2, view.height / 2 - y / view.resolution];
}

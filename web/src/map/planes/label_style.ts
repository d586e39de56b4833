// How labels look and where they stand, for the two that draw them.
import { LABEL_SCALE } from "../../core/kiosk";
import { sizeAt, type MapView, type Picture } from "./layer";
import type { Label } from "../../live/messages";

const font = (weight: number, px: number): string => `${weight} ${px * LABEL_SCALE}px 'B612 Mono', monospace`;

export const LINE_PX = Math.round(13 * LABEL_SCALE);
/** So wide that names on the ground give way to labels above them. */
export const HALO_PX = 5.5;
/** Room for the halo around a text. */
export const EDGE_PX = 3;
/** Of a first line, of one that stands out, and of the lines below the first. */
export const FONTS = [font(400, 11.5), font(700, 11.5), font(400, 10)];
export const STRENGTHS = [1, 1, 0.86];

export const fontOf = (label: Label, line: number): number => (line > 0 ? 2 : label.strong ? 1 : 0);
export const heightOf = (label: Label): number => label.lines.length * LINE_PX + 4;

export function isChosen(picture: Picture, row: number): boolean {
  return row === picture.selectedRow || picture.alsoRows.includes(row);
}

/** The upper left corner of a label, in pixels of the page; its aircraft is at `x`, `y`. */
export function cornerOf(
  label: Label,
  picture: Picture,
  view: MapView,
  [x, y]: [number, number],
  width: number,
): [number, number] {
  const gap = sizeAt(view.resolution) / 2 + (isChosen(picture, label.row) ? 14 : 2);
  const height = heightOf(label);
  const left = [x + gap, x - gap - width, x - width / 2, x - width / 2][label.side];
  const top = [y - height / 2, y - height / 2, y - gap - height, y + gap][label.side];
  return [left, top];
}

// How labels look and where they stand, for the two that draw them.
import { sizeAt, type MapView, type Picture } from "./layer";
import type { Label } from "../../live/messages";

export const LINE_PX = 13;
/** Room for the halo around a text. */
export const EDGE_PX = 3;
/** Of a first line, of one that stands out, and of a second line. */
export const FONTS = ["400 11.5px 'B612 Mono', monospace", "700 11.5px 'B612 Mono', monospace", "10px 'B612 Mono', monospace"];
export const STRENGTHS = [1, 1, 0.86];

export const fontOf = (label: Label, line: number): number => (line === 1 ? 2 : label.strong ? 1 : 0);
export const heightOf = (label: Label): number => (label.lines[1] ? 2 : 1) * LINE_PX + 4;

export function isChosen(picture: Picture, row: number): boolean {
  return row === picture.selectedRow || picture.alsoRows.includes(row);
}

/** The upper left corner of a label, in pixels of the page; its aircraft is at `x`, `y`. */
export function cornerOf(label: Label, picture: Picture, view: MapView, [x, y]: [number, number], width: number): [number, number] {
  const gap = sizeAt(view.resolution) / 2 + (isChosen(picture, label.row) ? 14 : 2);
  const height = heightOf(label);
  const left = [x + gap, x - gap - width, x - width / 2, x - width / 2][label.side];
  const top = [y - height / 2, y - height / 2, y - gap - height, y + gap][label.side];
  return [left, top];
}

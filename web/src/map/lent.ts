// What a page shows on the map in place of the selected aircraft. It stands outside the map, which may come after the
// page that wants it, and another one when somebody signs in.
import { Cell } from "../core/cell";
import type { TrailPoint } from "./planes/stage";

/** The trails of a page; null where they are those of the selected aircraft. */
export const lentTrails = new Cell<TrailPoint[][] | null>(null);

/** Points (map units) that the map is to show as a whole; it takes them once it is drawn. */
export const wantedView = new Cell<number[][] | null>(null);

/** Whether clicks on the map are those of the ruler, and select no aircraft. */
export const measuring = new Cell(false);

/** The page is left: the map is that of the selected aircraft again. */
export function giveBack(): void {
  lentTrails.set(null);
  wantedView.set(null);
}

// What the map shows while the page of reception is open: the ranges of the receiver whose charts are shown.
import { Cell } from "../../core/cell";
import type { Source } from "../../shell/feature";
import type { Coverage, Quality } from "./series";

/** Ranges around the place, or cells where this person may not know it exactly. */
export type Covered = { source: Source; sectors: Quality["range"] } | { source: Source; grid: Coverage };

export const coverage = new Cell<Covered | null>(null);
/** Where the feeder stands that the page shows; null for receivers at the station, and where the place is not known. */
export const feederPlace = new Cell<{ lat: number; lon: number } | null>(null);

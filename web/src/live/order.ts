// The window of the list that is on the screen, in the reader's order.
import { unwrap, type Fleet } from "./fleet";
import type { Value, ViewState } from "./messages";

export interface Wish {
  offset: number;
  limit: number;
  sort: string;
  descending: boolean;
}

/** Slots of the window, and how many aircraft there are in all. Aircraft without a value come last in any order. */
export function windowOf(fleet: Fleet, wish: Wish, view: ViewState | null): { rows: number[]; matching: number } {
  const slots: number[] = [];
  const keys: Value[] = [];
  for (let slot = 0; slot < fleet.top; slot += 1) {
    if (fleet.shown[slot] !== 2 || (view && !isInView(fleet, slot, view))) continue;
    slots.push(slot);
    keys[slot] = fleet.valueOf(slot, wish.sort);
  }
  const sign = wish.descending ? -1 : 1;
  slots.sort((a, b) => compare(keys[a], keys[b], sign) || (fleet.aircraft[a].hex < fleet.aircraft[b].hex ? -1 : 1));
  return { rows: slots.slice(wish.offset, wish.offset + wish.limit), matching: slots.length };
}

export function compare(a: Value, b: Value, sign: number): number {
  const noA = a === null || a === undefined || a === "";
  const noB = b === null || b === undefined || b === "";
  if (noA || noB) return noA === noB ? 0 : noA ? 1 : -1;
  if (a === b) return 0;
  return (a < b ? -1 : 1) * sign;
}

function isInView(fleet: Fleet, slot: number, view: ViewState): boolean {
  if (!fleet.located[slot]) return false;
  const dx = Math.abs(unwrap(fleet.x[slot], view.x) - view.x) / view.resolution;
  const dy = Math.abs(fleet.y[slot] - view.y) / view.resolution;
  return dx <= view.width / 2 && dy <= view.height / 2;
}

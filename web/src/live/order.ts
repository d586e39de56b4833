// The window of the list that is on the screen, in the reader's order.
import { unwrap, type Fleet } from "./fleet";
import { FLAG, type Step, type Value, type ViewState } from "./messages";

export interface Wish {
  offset: number;
  limit: number;
  sort: string;
  descending: boolean;
  /** Whether aircraft on the ground stand below all others. */
  airFirst: boolean;
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
  const ground = (slot: number): number => (wish.airFirst ? fleet.flags[slot] & FLAG.ground : 0);
  slots.sort(
    (a, b) =>
      ground(a) - ground(b) ||
      compare(keys[a], keys[b], sign) ||
      (fleet.aircraft[a].hex < fleet.aircraft[b].hex ? -1 : 1),
  );
  return { rows: slots.slice(wish.offset, wish.offset + wish.limit), matching: slots.length };
}

/** The row after (1) or before (-1) another one, round and round, or any other one (0, by `random` in [0, 1)); -1 without any. */
export function stepped(rows: number[], from: number, step: Step, random: number): number {
  const at = rows.indexOf(from);
  if (step === 0) {
    const others = at < 0 ? rows : rows.filter((row) => row !== from);
    return others[Math.floor(random * others.length)] ?? -1;
  }
  if (!rows.length) return -1;
  if (at < 0) return rows[step > 0 ? 0 : rows.length - 1];
  return rows[(at + step + rows.length) % rows.length];
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

// Which aircraft are labelled, and on which side, so that no label covers another or a neighbour.
import { unwrap, type Fleet } from "./fleet";
import { FLAG, type Label, type Look, type ViewState } from "./messages";

const MOST_LABELS = 140;
const CHARACTER_PX = 7.3;
const LINE_PX = 13;
const ICON_PX = 22;
const CELL_PX = 64;
const SIDES = 4;
const FT_TO_KM = 0.0003048;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Boxes on the screen by the cells of a grid that they touch. */
class Grid {
  private readonly cells = new Map<number, Box[]>();

  isFree(box: Box): boolean {
    for (const cell of this.touched(box)) {
      for (const other of this.cells.get(cell) ?? []) {
        if (box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom) return false;
      }
    }
    return true;
  }

  add(box: Box): void {
    for (const cell of this.touched(box)) {
      const held = this.cells.get(cell);
      if (held) held.push(box);
      else this.cells.set(cell, [box]);
    }
  }

  private *touched(box: Box): Generator<number> {
    for (let column = Math.floor(box.left / CELL_PX); column <= Math.floor(box.right / CELL_PX); column += 1) {
      for (let row = Math.floor(box.top / CELL_PX); row <= Math.floor(box.bottom / CELL_PX); row += 1) {
        yield column * 65_536 + row;
      }
    }
  }
}

export function labelBox(x: number, y: number, side: number, width: number, height: number): Box {
  const gap = ICON_PX / 2 + 3;
  const left = [x + gap, x - gap - width, x - width / 2, x - width / 2][side];
  const top = [y - height / 2, y - height / 2, y - gap - height, y + gap][side];
  return { left, top, right: left + width, bottom: top + height };
}

/** `rows` gives the slot of each row of the frame; `sides` remembers where labels stood, by slot. */
export function layOut(
  fleet: Fleet,
  rows: Int32Array,
  count: number,
  view: ViewState,
  look: Look,
  selected: number,
  sides: Map<number, number>,
  chosen: ReadonlySet<number> = new Set([selected]),
): Label[] {
  const seen: { row: number; slot: number; x: number; y: number; rank: number }[] = [];
  const grid = new Grid();
  for (let row = 0; row < count; row += 1) {
    const slot = rows[row];
    const x = (unwrap(fleet.x[slot], view.x) - view.x) / view.resolution + view.width / 2;
    const y = (view.y - fleet.y[slot]) / view.resolution + view.height / 2;
    if (x < -40 || y < -40 || x > view.width + 40 || y > view.height + 40) continue;
    if (seen.length < 1500) {
      const half = ICON_PX / 2 - 3;
      grid.add({ left: x - half, right: x + half, top: y - half, bottom: y + half });
    }
    seen.push({ row, slot, x, y, rank: slot === selected ? 9 : chosen.has(slot) ? 8 : rankOf(fleet, slot, sides.has(slot)) });
  }
  if (!look.labels && !seen.some(({ slot }) => chosen.has(slot))) return [];
  seen.sort((a, b) => b.rank - a.rank || a.slot - b.slot);
  const labels: Label[] = [];
  const stand = new Map<number, number>();
  for (const { row, slot, x, y } of look.labels ? seen.slice(0, 900) : seen.filter((one) => chosen.has(one.slot))) {
    if (labels.length >= MOST_LABELS) break;
    const lines = linesOf(fleet, slot, look);
    const width = Math.max(lines[0].length, lines[1].length) * CHARACTER_PX + 4;
    const height = lines[1] ? 2 * LINE_PX : LINE_PX;
    const first = sides.get(slot) ?? 0;
    for (let step = 0; step < SIDES; step += 1) {
      const side = (first + step) % SIDES;
      const box = labelBox(x, y, side, width, height);
      if (!grid.isFree(box) && !chosen.has(slot)) continue;
      grid.add(box);
      stand.set(slot, side);
      labels.push({ row, side, lines, strong: chosen.has(slot) || (fleet.flags[slot] & FLAG.emergency) !== 0 });
      break;
    }
  }
  sides.clear();
  for (const [slot, side] of stand) sides.set(slot, side);
  return labels;
}

function rankOf(fleet: Fleet, slot: number, wasLabelled: boolean): number {
  const flags = fleet.flags[slot];
  let rank = wasLabelled ? 0.5 : 0;
  if (flags & (FLAG.emergency | FLAG.alert)) rank += 5;
  if (flags & FLAG.military) rank += 1;
  if (flags & FLAG.ground) rank -= 2;
  return rank;
}

/** Name, and below it level, climb or descent and speed, as controllers see them. */
export function linesOf(fleet: Fleet, slot: number, look: Look): [string, string] {
  const aircraft = fleet.aircraft[slot];
  const name = String(aircraft.flight || aircraft.r || aircraft.hex).trim();
  const altitude = fleet.altitude[slot];
  if (fleet.flags[slot] & FLAG.ground || Number.isNaN(altitude)) return [name, ""];
  const rate = typeof aircraft.baro_rate === "number" ? aircraft.baro_rate : 0;
  const arrow = rate > 250 ? "↑" : rate < -250 ? "↓" : " ";
  const level = look.metric ? (altitude * FT_TO_KM).toFixed(1) : String(Math.round(altitude / 100)).padStart(3, "0");
  const gs = typeof aircraft.gs === "number" ? Math.round(look.metric ? aircraft.gs * 1.852 : aircraft.gs) : "";
  return [name, `${level}${arrow}${gs}`];
}

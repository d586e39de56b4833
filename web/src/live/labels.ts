// Which aircraft are labelled, and on which side, so that no label covers another or a neighbour.
import { unwrap, type Fleet } from "./fleet";
import { FLAG, type Label, type LabelField, type Look, type ViewState } from "./messages";

const MAX_LABELS = 140;
const CHARACTER_PX = 7.3;
const LINE_PX = 13;
const ICON_PX = 22;
const CELL_PX = 64;
const SIDES = 4;
const FT_TO_KM = 0.0003048;
const KT_TO_KMH = 1.852;
/** Slower than this an aircraft is level. */
const LEVEL_FPM = 250;

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
        if (box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom)
          return false;
      }
    }
    return true;
  }

  add(box: Box): void {
    for (const cell of this.touched(box)) {
      const boxes = this.cells.get(cell);
      if (boxes) boxes.push(box);
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
    seen.push({
      row,
      slot,
      x,
      y,
      rank: slot === selected ? 9 : chosen.has(slot) ? 8 : rankOf(fleet, slot, sides.has(slot)),
    });
  }
  if (!look.labels && !seen.some(({ slot }) => chosen.has(slot))) return [];
  seen.sort((a, b) => b.rank - a.rank || a.slot - b.slot);
  const labels: Label[] = [];
  const stand = new Map<number, number>();
  for (const { row, slot, x, y } of look.labels ? seen.slice(0, 900) : seen.filter((one) => chosen.has(one.slot))) {
    if (labels.length >= MAX_LABELS) break;
    const lines = linesOf(fleet, slot, look);
    const width = Math.max(...lines.map((line) => line.length)) * CHARACTER_PX * look.labelScale + 4;
    const height = lines.length * LINE_PX * look.labelScale;
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

/** What a label says, line by line; lines of which nothing is known are left out, the first never is. */
export function linesOf(fleet: Fleet, slot: number, look: Look): string[] {
  const [first, ...others] = look.labelLines
    .map((fields) => lineOf(fleet, slot, fields, look))
    .filter((line) => line !== "");
  return [first ?? nameOf(fleet, slot), ...others];
}

/** The parts of a line; altitude and speed stand together as controllers see them: `350↑452`. */
function lineOf(fleet: Fleet, slot: number, fields: readonly LabelField[], look: Look): string {
  let line = "";
  fields.forEach((field, at) => {
    const part = partOf(fleet, slot, field, look);
    if (!part) return;
    line += line && !(field === "gs" && fields[at - 1] === "altitude") ? ` ${part}` : part;
  });
  return line.trimEnd();
}

function nameOf(fleet: Fleet, slot: number): string {
  const { flight, r, hex } = fleet.aircraft[slot];
  return String(flight || r || hex).trim();
}

/** One value; of aircraft on the ground neither altitude nor speed, which would only cover the airport. */
function partOf(fleet: Fleet, slot: number, field: LabelField, look: Look): string {
  const aircraft = fleet.aircraft[slot];
  const isGround = (fleet.flags[slot] & FLAG.ground) !== 0;
  const value = field === "distance" ? fleet.valueOf(slot, "distance") : aircraft[field];
  switch (field) {
    case "flight":
      return nameOf(fleet, slot);
    case "altitude":
      return isGround ? "" : level(fleet.altitude[slot], aircraft.baro_rate, look.metric);
    case "gs":
      return isGround || typeof value !== "number" || Number.isNaN(fleet.altitude[slot])
        ? ""
        : String(Math.round(look.metric ? value * KT_TO_KMH : value));
    case "distance":
      return typeof value === "number"
        ? (look.metric ? value * KT_TO_KMH : value).toFixed(0) + (look.metric ? "km" : "nm")
        : "";
    case "track":
      return typeof value === "number" ? `${String(Math.round(value) % 360).padStart(3, "0")}°` : "";
    case "baro_rate":
      return typeof value === "number" && Math.abs(value) >= LEVEL_FPM
        ? `${value > 0 ? "+" : "−"}${Math.abs(Math.round(value / 100))}`
        : "";
    case "hex":
      return aircraft.hex.toUpperCase();
    default:
      return typeof value === "string" ? value.trim() : "";
  }
}

/** Flight level, or kilometres, with an arrow for climb or descent. */
function level(altitudeFt: number, rate: unknown, metric: boolean): string {
  if (Number.isNaN(altitudeFt)) return "";
  const fpm = typeof rate === "number" ? rate : 0;
  const arrow = fpm > LEVEL_FPM ? "↑" : fpm < -LEVEL_FPM ? "↓" : " ";
  return `${metric ? (altitudeFt * FT_TO_KM).toFixed(1) : String(Math.round(altitudeFt / 100)).padStart(3, "0")}${arrow}`;
}

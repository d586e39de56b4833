// The worker: hears the channel, keeps the fleet, and hands the page one frame to draw and one window of the list.
import { packedRamp, rampIndex } from "../core/ramp";
import { HALF_WORLD } from "../core/mercator";
import { Channel } from "./channel";
import { CLASSES, SCALE } from "./classes";
import { Fleet, unwrap } from "./fleet";
import { isEmergency } from "./filter";
import { layOut } from "./labels";
import { FLAG, STRIDE, type Aircraft, type Look, type News, type Order, type ViewState } from "./messages";
import { windowOf } from "./order";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const fleet = new Fleet();
const sides = new Map<number, number>();
const ZOOM_SIZES = CLASSES.map((name) => SCALE[name]);

let view: ViewState | null = null;
let look: Look = { dark: true, labels: true, metric: false };
/** A screenful, until the list has been laid out and asks for what it shows. */
let list = { offset: 0, limit: 24, sort: "distance", descending: false, inView: false };
let selected: string | null = null;
let also: string[] = [];
let isReplay = false;
let speed = 1;
/** Milliseconds of the page's clock at which the present picture was made. */
let pictureAt = performance.timeOrigin + performance.now();
let due: ReturnType<typeof setTimeout> | undefined;

const tell = (news: News, transfer: Transferable[] = []): void => scope.postMessage(news, transfer);
const clockMs = (): number => performance.timeOrigin + performance.now();

const channel = new Channel({
  columns: (data) => {
    if (isReplay) return;
    begin(data.now, 1);
    fleet.takeRows(data.fields, data.rows, data.removed, data.full, data.now);
    show();
  },
  aircraft: (aircraft, removed, full, now) => {
    if (isReplay) return;
    begin(now, 1);
    fleet.takeAircraft(aircraft, removed, full, now);
    show();
  },
  event: (topic, event, data) => tell({ type: "event", topic, event, data }),
  state: (state, detail, denied) => tell({ type: "state", state, detail, denied }),
  picture: (isStale) => tell({ type: "picture", isStale }),
  rights: (lost) => {
    if (lost.includes("aircraft")) fleet.clear();
    tell({ type: "rights" });
  },
});

function begin(now: number, pace: number): void {
  fleet.beginPicture(now);
  pictureAt = clockMs();
  speed = pace;
}

/** The time of the picture's clock at this moment. */
function pictureNow(): number {
  return fleet.now + ((clockMs() - pictureAt) / 1000) * speed;
}

function show(): void {
  clearTimeout(due);
  due = undefined;
  drawFrame();
  tellList();
  tellSelected();
}

/** Show what is there in a new way, soon: several changes of the page cost one frame. */
function showSoon(): void {
  due ??= setTimeout(show, 30);
}

function drawFrame(): void {
  const data = new Float32Array(fleet.slots.size * STRIDE);
  const bits = new Uint32Array(data.buffer);
  const rows = new Int32Array(fleet.slots.size);
  const ramp = packedRamp(look.dark);
  const centre = view?.x ?? 0;
  const chosen = selected === null ? -1 : (fleet.slots.get(selected) ?? -1);
  const others = also.map((hex) => fleet.slots.get(hex) ?? -1);
  const chosenSlots = new Set([chosen, ...others]);
  let count = 0;
  let fastest = 0;
  // Who is on the ground is drawn first, below those who fly over.
  for (const layer of [FLAG.ground, 0]) {
    for (let slot = 0; slot < fleet.top; slot += 1) {
      const flags = fleet.flags[slot];
      if (!fleet.located[slot] || (flags & FLAG.ground) !== layer) continue;
      if (fleet.shown[slot] !== 2 && !chosenSlots.has(slot)) continue;
      const at = count * STRIDE;
      const x = unwrap(fleet.x[slot], centre);
      data[at] = x;
      data[at + 1] = x - data[at];
      data[at + 2] = fleet.y[slot];
      data[at + 3] = fleet.y[slot] - data[at + 2];
      data[at + 4] = fleet.vx[slot];
      data[at + 5] = fleet.vy[slot];
      data[at + 6] = fleet.errorX[slot];
      data[at + 7] = fleet.errorY[slot];
      data[at + 8] = fleet.positionAt[slot] - fleet.now;
      data[at + 9] = fleet.heading[slot];
      bits[at + 10] = ramp[rampIndex(fleet.altitude[slot], (flags & FLAG.ground) !== 0)];
      bits[at + 11] = lookOf(slot, flags, chosenSlots.has(slot));
      fastest = Math.max(fastest, Math.abs(fleet.vx[slot]), Math.abs(fleet.vy[slot]));
      rows[count] = slot;
      count += 1;
    }
  }
  const rowOf = (slot: number): number => (slot < 0 ? -1 : rows.subarray(0, count).indexOf(slot));
  const labels = view ? layOut(fleet, rows, count, view, look, chosen, sides, chosenSlots) : [];
  const frame: News = {
    type: "frame",
    count,
    data: data.buffer,
    at: pictureAt,
    speed,
    labels,
    selectedRow: rowOf(chosen),
    alsoRows: others.map(rowOf),
    fastest,
  };
  tell(frame, [data.buffer]);
}

/** Drawing, size (in 1/100), and whether it stands out, in one number. */
function lookOf(slot: number, flags: number, isChosen: boolean): number {
  const drawing = fleet.drawing[slot];
  const ground = flags & FLAG.ground ? 0.72 : 1;
  const size = Math.round(ZOOM_SIZES[drawing] * ground * 100);
  const marked = isEmergency(flags, fleet.aircraft[slot].squawk) ? 2 : flags & FLAG.alert ? 1 : 0;
  const faint = flags & FLAG.stale ? 1 : 0;
  return drawing | (size << 8) | (marked << 16) | ((faint | (isChosen ? 2 : 0)) << 24);
}

function tellList(): void {
  let positioned = 0;
  for (let slot = 0; slot < fleet.top; slot += 1) positioned += fleet.located[slot];
  const { rows, matching } = windowOf(fleet, list, list.inView ? view : null);
  tell({
    type: "list",
    offset: list.offset,
    rows: rows.map((slot) => fleet.describe(slot)),
    matching,
    total: fleet.slots.size,
    positioned,
  });
}

function describe(hex: string): Aircraft | null {
  const slot = fleet.slots.get(hex);
  return slot === undefined ? null : fleet.describe(slot);
}

function tellSelected(): void {
  if (selected === null) return;
  tell({ type: "selected", aircraft: describe(selected), also: also.map(describe), now: fleet.now });
}

function pick(x: number, y: number, radius: number): Aircraft | null {
  let best = -1;
  let nearest = radius;
  const now = pictureNow();
  for (let slot = 0; slot < fleet.top; slot += 1) {
    if (!fleet.located[slot] || fleet.shown[slot] !== 2) continue;
    const dx = Math.abs(unwrap(fleet.drawnX(slot, now), x) - x);
    const dy = Math.abs(fleet.drawnY(slot, now) - y);
    if (dx > nearest || dy > nearest || dx > HALF_WORLD) continue;
    const distance = Math.hypot(dx, dy);
    if (distance < nearest) {
      nearest = distance;
      best = slot;
    }
  }
  return best < 0 ? null : fleet.describe(best);
}

scope.onmessage = ({ data: order }: MessageEvent<Order>) => {
  switch (order.type) {
    case "connect":
      channel.start(order.url, order.token, order.topics, order.fields);
      break;
    case "token":
      channel.setToken(order.token);
      break;
    case "disconnect":
      channel.stop();
      fleet.clear();
      show();
      break;
    case "fields":
      channel.setFields(order.fields);
      break;
    case "filter":
      fleet.setFilter(order.filter);
      showSoon();
      break;
    case "list":
      list = order;
      tellList();
      break;
    case "view":
      view = order.view;
      showSoon();
      break;
    case "look":
      look = order.look;
      showSoon();
      break;
    case "station":
      fleet.setStation(order.station);
      showSoon();
      break;
    case "select":
      ({ hex: selected, also } = order);
      show();
      break;
    case "pick":
      tell({ type: "picked", id: order.id, aircraft: pick(order.x, order.y, order.radius) });
      break;
    case "replay":
      isReplay = order.on;
      fleet.clear();
      if (!isReplay) channel.setFields([...channel.currentFields]);
      show();
      break;
    case "moment":
      begin(order.now, order.speed);
      fleet.takeAircraft(order.aircraft, [], true, order.now);
      show();
      break;
    case "awake":
      channel.hurry();
      break;
  }
};

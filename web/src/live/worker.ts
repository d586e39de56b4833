// The worker: hears the channel, keeps the fleet, and hands the page one frame to draw and one window of the list.
import { packedRamp, rampIndex, useRamp } from "../core/ramp";
import { HALF_WORLD } from "../core/mercator";
import { Channel } from "./channel";
import { CLASSES, SCALE } from "./classes";
import { Fleet, unwrap } from "./fleet";
import { isAlarming, isNamed } from "./filter";
import { layOut } from "./labels";
import {
  FLAG,
  STRIDE,
  type Aircraft,
  type Frame,
  type Look,
  type News,
  type Order,
  type Step,
  type ViewState,
} from "./messages";
import { stepped, windowOf } from "./order";
import { TrailBook } from "./trails/book";
import { Outline } from "./trails/outline";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const fleet = new Fleet();
const sides = new Map<number, number>();
const trails = new TrailBook();
const outline = new Outline();
/** The map redraws all of its ground for a new outline (ms). */
const OUTLINE_EVERY_MS = 10_000;
const ZOOM_SIZES = CLASSES.map((name) => SCALE[name]);

let view: ViewState | null = null;
let look: Look = {
  dark: true,
  labels: true,
  metric: false,
  labelLines: [["flight"], ["altitude", "gs"]],
  labelScale: 1,
  ramp: "even",
  trailSpan: 0,
  outline: false,
};
/** A screenful, until the list has been laid out and asks for what it shows. */
let list = { offset: 0, limit: 24, sort: "distance", descending: false, inView: false, airFirst: true };
let selected: string | null = null;
let also: string[] = [];
/** Whether the map shows what is selected and nothing else. */
let isAlone = false;
let isReplay = false;
let speed = 1;
/** Milliseconds of the page's clock at which the present picture was made. */
let pictureAt = performance.timeOrigin + performance.now();
let due: ReturnType<typeof setTimeout> | undefined;

const post = (news: News, transfer: Transferable[] = []): void => scope.postMessage(news, transfer);
const clockMs = (): number => performance.timeOrigin + performance.now();

const channel = new Channel({
  columns: (data) => {
    if (isReplay) return;
    begin(data.now, 1);
    fleet.takeRows(data.fields, data.rows, data.removed, data.full, data.now);
    follow();
    show();
  },
  aircraft: (aircraft, removed, full, now) => {
    if (isReplay) return;
    begin(now, 1);
    fleet.takeAircraft(aircraft, removed, full, now);
    follow();
    show();
  },
  event: (topic, event, data) => post({ type: "event", topic, event, data }),
  state: (state, detail, denied) => post({ type: "state", state, detail, denied }),
  picture: (isStale) => post({ type: "picture", isStale }),
  rights: (lost) => {
    if (lost.includes("aircraft")) forget();
    post({ type: "rights" });
  },
});

/** What is made of the pictures over time. */
function follow(): void {
  trails.take(fleet);
  askForPast();
  if (isReplay || !look.outline) return;
  outline.take(fleet);
  postOutline();
}

/** As many aircraft as the service answers about at once. */
const ASKED_AT_ONCE = 100;

/** Ask for the past of the aircraft in sight whose trails begin; a replay brings its own. */
function askForPast(): void {
  if (isReplay || !view) return;
  const hexes = trails.begun(fleet, view, ASKED_AT_ONCE);
  if (hexes.length) post({ type: "begun", run: trails.run, hexes });
}

let outlineTold = -Infinity;

function postOutline(): void {
  if (clockMs() - outlineTold < OUTLINE_EVERY_MS) return;
  const points = outline.changes();
  if (!points) return;
  outlineTold = clockMs();
  post({ type: "outline", points });
}

/** Nothing is known of any aircraft any more. */
function forget(): void {
  fleet.clear();
  trails.clear();
}

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
  postList();
  postSelected();
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
      if ((isAlone || fleet.shown[slot] !== 2) && !chosenSlots.has(slot)) continue;
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
  const frame: Frame = {
    type: "frame",
    count,
    data: data.buffer,
    at: pictureAt,
    speed,
    labels,
    selectedRow: rowOf(chosen),
    alsoRows: others.map(rowOf),
    fastest,
    trails: trails.news(fleet, rows, count),
  };
  const { trails: news } = frame;
  post(frame, news ? [data.buffer, news.segments, news.anchors, news.shown] : [data.buffer]);
}

/** Drawing, size (in 1/100), and whether it stands out, in one number. */
function lookOf(slot: number, flags: number, isChosen: boolean): number {
  const drawing = fleet.drawing[slot];
  const ground = flags & FLAG.ground ? 0.72 : 1;
  const size = Math.round(ZOOM_SIZES[drawing] * ground * 100);
  const marked = isAlarming(fleet.aircraft[slot], flags) ? 2 : flags & FLAG.alert ? 1 : 0;
  const faint = flags & FLAG.stale ? 1 : 0;
  return drawing | (size << 8) | (marked << 16) | ((faint | (isChosen ? 2 : 0)) << 24);
}

function postList(): void {
  let positioned = 0;
  for (let slot = 0; slot < fleet.top; slot += 1) positioned += fleet.located[slot];
  const { rows, matching } = windowOf(fleet, list, list.inView ? view : null);
  post({
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

function postSelected(): void {
  if (selected === null) return;
  post({ type: "selected", aircraft: describe(selected), also: also.map(describe), now: fleet.now });
}

/** Aircraft that are not drawn cannot be meant. */
function isPickable(slot: number): boolean {
  return isAlone ? [selected, ...also].includes(fleet.aircraft[slot].hex) : fleet.shown[slot] === 2;
}

function pick(x: number, y: number, radius: number): Aircraft | null {
  let best = -1;
  let nearest = radius;
  const now = pictureNow();
  for (let slot = 0; slot < fleet.top; slot += 1) {
    if (!fleet.located[slot] || !isPickable(slot)) continue;
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

/** The aircraft next to the selected one in the order of the list. */
function neighbour(step: Step): Aircraft | null {
  const { rows } = windowOf(fleet, { ...list, offset: 0, limit: Infinity }, list.inView ? view : null);
  const from = selected === null ? undefined : fleet.slots.get(selected);
  const slot = stepped(rows, from ?? -1, step, Math.random());
  return slot < 0 ? null : fleet.describe(slot);
}

/** What somebody looked for by name: the aircraft that is called so, else the first one that the filter leaves. */
function find(text: string): Aircraft | null {
  const { rows } = windowOf(fleet, { ...list, offset: 0, limit: Infinity }, list.inView ? view : null);
  const slot = rows.find((row) => isNamed(fleet.aircraft[row], text)) ?? rows[0];
  return slot === undefined ? null : fleet.describe(slot);
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
      forget();
      outline.clear();
      show();
      break;
    case "fields":
      channel.setFields(order.fields);
      break;
    case "filter":
      fleet.setFilter(order.filter, order.operators);
      showSoon();
      break;
    case "list":
      list = order;
      postList();
      break;
    case "view":
      view = order.view;
      showSoon();
      break;
    case "look":
      look = order.look;
      useRamp(look.ramp);
      trails.setSpan(look.trailSpan);
      showSoon();
      break;
    case "station":
      fleet.setStation(order.station);
      outline.setStation(order.station);
      showSoon();
      break;
    case "select":
      ({ hex: selected, also, isAlone } = order);
      show();
      break;
    case "step":
      post({ type: "picked", id: order.id, aircraft: neighbour(order.step) });
      break;
    case "find":
      post({ type: "picked", id: order.id, aircraft: find(order.text) });
      break;
    case "pick":
      post({ type: "picked", id: order.id, aircraft: pick(order.x, order.y, order.radius) });
      break;
    case "replay":
      isReplay = order.on;
      forget();
      if (!isReplay) channel.setFields([...channel.currentFields]);
      show();
      break;
    case "moment":
      begin(order.now, order.speed);
      fleet.takeAircraft(order.aircraft, [], true, order.now);
      follow();
      show();
      break;
    case "outline":
      outline.seed(order.points, fleet.now);
      outlineTold = -Infinity;
      postOutline();
      break;
    case "past":
      trails.seed(fleet, order.run, order.hexes, order.trails);
      showSoon();
      break;
    case "awake":
      channel.hurry();
      break;
  }
};

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fleet } from "../src/live/fleet";
import type { Aircraft, PastTrail, TrailNews } from "../src/live/messages";
import { GAP_S, SEGMENT_WORDS, TrailBook, markOf } from "../src/live/trails/book";
import { Outline } from "../src/live/trails/outline";
import { TrailRing } from "../src/map/all_trails/ring";
import { destination, distanceNm, mercatorX, mercatorY } from "../src/core/mercator";

/** A sky of one aircraft that is somewhere else each second. */
class Sky {
  readonly fleet = new Fleet();
  readonly book = new TrailBook();
  segments = 0;
  private now = 1000;

  constructor(span = 120) {
    this.book.setSpan(span);
  }

  fly(seconds: number, more: (at: number) => Partial<Aircraft> = () => ({})): void {
    for (let at = 0; at < seconds; at += 1) {
      this.now += 1;
      this.fleet.beginPicture(this.now);
      const lon = 8 + (this.now - 1000) * 0.003;
      this.fleet.takeAircraft(
        [{ hex: "4b1617", lat: 47, lon, gs: 440, track: 90, alt_baro: 30000, ...more(at) }],
        [],
        true,
        this.now,
      );
      this.book.take(this.fleet);
    }
  }

  silence(seconds: number): void {
    this.now += seconds;
  }

  news(): TrailNews {
    const news = this.book.news(this.fleet, Int32Array.from([0]), 1)!;
    this.segments += news.segments.byteLength / 4 / SEGMENT_WORDS;
    return news;
  }
}

test("straight flight is a few segments that meet, from the first to the last but the way since", () => {
  const sky = new Sky();
  sky.fly(60);
  const news = sky.news();
  const data = new Float32Array(news.segments);
  const count = data.length / SEGMENT_WORDS;
  assert.ok(count >= 5 && count <= 8, `${count} segments a minute`);
  for (let at = 1; at < count; at += 1) {
    assert.deepEqual(
      [...data.subarray(at * SEGMENT_WORDS, at * SEGMENT_WORDS + 2)],
      [...data.subarray((at - 1) * SEGMENT_WORDS + 2, (at - 1) * SEGMENT_WORDS + 4)],
    );
  }
  assert.equal(data[0], 0, "the origin is where it was first");
  assert.equal(new Float32Array(news.anchors)[0], data[data.length - 4], "its aircraft is joined to the last end");
  assert.equal(sky.news().segments.byteLength, 0, "each is sent once");
});

test("turns and climbs are followed closely", () => {
  const sky = new Sky();
  sky.fly(40, (at) => ({ track: (90 + 3 * at) % 360 }));
  sky.news();
  assert.ok(sky.segments >= 15, `${sky.segments} segments in a turn`);
  const climb = new Sky();
  climb.fly(40, (at) => ({ alt_baro: 10000 + at * 100 }));
  climb.news();
  assert.ok(climb.segments >= 7, `${climb.segments} segments in a climb`);
});

test("no line leads over silence, over a leap, or from one aircraft to the next in its slot", () => {
  const sky = new Sky();
  sky.fly(20);
  sky.news();
  const before = sky.segments;
  sky.silence(GAP_S + 5);
  sky.fly(1);
  sky.news();
  assert.equal(sky.segments, before, "silence");
  sky.fly(5, () => ({ lat: 52 }));
  sky.fly(1);
  const data = new Float32Array(sky.news().segments);
  for (let at = 0; at < data.length; at += SEGMENT_WORDS)
    assert.ok(Math.abs(data[at + 1] - data[at + 3]) < 50_000, "a leap");
  const generation = new Uint8Array(sky.news().shown)[0];
  sky.fly(1, () => ({ hex: "aaaaaa" }));
  sky.fly(1, () => ({ hex: "bbbbbb" }));
  assert.notEqual(new Uint8Array(sky.news().shown)[0], generation, "another aircraft");
});

test("an aircraft that the filter hides shows no trail", () => {
  const sky = new Sky();
  sky.fly(3);
  assert.ok(new Uint8Array(sky.book.news(sky.fleet, Int32Array.from([0]), 1)!.shown)[0] > 0);
  assert.equal(new Uint8Array(sky.book.news(sky.fleet, new Int32Array(0), 0)!.shown)[0], 0);
});

const VIEW = { x: mercatorX(8), y: mercatorY(47), resolution: 100, width: 1000, height: 800 };

/** What the service has of an aircraft, so many seconds before the first picture each. */
function recorded(hex: string, ...ago: number[]): PastTrail {
  return {
    hex,
    at: ago.map((s) => 1001 - s),
    lat: ago.map(() => 47),
    lon: ago.map((s) => 8 - s * 0.003),
    altitude_ft: ago.map(() => 30000),
    on_ground: ago.map(() => false),
  };
}

test("a trail begins with what was recorded before, as closely as that is", () => {
  const sky = new Sky();
  sky.fly(3);
  sky.news();
  assert.deepEqual(sky.book.begun(sky.fleet, VIEW, 100), ["4b1617"]);
  assert.deepEqual(sky.book.begun(sky.fleet, VIEW, 100), [], "asked once");
  const trails = [recorded("4b1617", 200, 15, 10, 5), recorded("ffffff", 10)];
  sky.book.seed(sky.fleet, sky.book.run, ["4b1617"], trails);
  const data = new Float32Array(sky.news().segments);
  assert.equal(data.length / SEGMENT_WORDS, 3, "what is older than trails reach is left out");
  assert.equal(data[2 * SEGMENT_WORDS + 2], 0, "the last leads to where it was first seen");
  sky.book.seed(sky.fleet, sky.book.run, ["4b1617"], trails);
  assert.equal(sky.news().segments.byteLength, 0, "once");
});

test("the past is of every aircraft in sight, whenever its first picture comes", () => {
  const sky = new Sky();
  sky.fly(200);
  sky.book.begun(sky.fleet, VIEW, 100);
  sky.fly(1, () => ({ hex: "aaaaaa" }));
  assert.deepEqual(sky.book.begun(sky.fleet, { ...VIEW, x: mercatorX(60) }, 100), [], "out of sight");
  assert.deepEqual(sky.book.begun(sky.fleet, { ...VIEW, x: mercatorX(8.6) }, 100), ["aaaaaa"]);
});

test("an answer about shorter trails is not taken for that about longer ones", () => {
  const sky = new Sky();
  sky.fly(3);
  sky.book.begun(sky.fleet, VIEW, 100);
  const { run } = sky.book;
  sky.book.setSpan(900);
  sky.fly(1);
  sky.news();
  assert.deepEqual(sky.book.begun(sky.fleet, VIEW, 100), ["4b1617"]);
  sky.book.seed(sky.fleet, run, ["4b1617"], [recorded("4b1617", 10, 5)]);
  assert.equal(sky.news().segments.byteLength, 0, "of the earlier run");
  sky.book.seed(sky.fleet, sky.book.run, ["4b1617"], [recorded("4b1617", 200, 190, 180)]);
  assert.equal(sky.news().segments.byteLength / 4 / SEGMENT_WORDS, 2, "of this one");
});

test("longer trails begin anew, with more of the past", () => {
  const sky = new Sky();
  sky.fly(3);
  sky.book.begun(sky.fleet, VIEW, 100);
  sky.book.setSpan(60);
  sky.fly(1);
  assert.deepEqual(sky.book.begun(sky.fleet, VIEW, 100), [], "shorter ones go on");
  sky.book.setSpan(900);
  sky.fly(1);
  assert.deepEqual(sky.book.begun(sky.fleet, VIEW, 100), ["4b1617"]);
});

const news = (times: number[], now: number, run = 1): TrailNews => {
  const segments = new Float32Array(times.length * SEGMENT_WORDS);
  times.forEach((at, number) => (segments[number * SEGMENT_WORDS + 4] = at));
  return {
    run,
    segments: segments.buffer,
    anchors: new ArrayBuffer(0),
    shown: new ArrayBuffer(256),
    origin: [0, 0],
    now,
    span: 100,
  };
};
const held = (ring: TrailRing): number[] =>
  ring
    .runs(ring.tail, ring.head)
    .flatMap(([start, count]) => Array.from({ length: count }, (_, at) => ring.data[(start + at) * SEGMENT_WORDS + 4]));

test("the ring keeps the order, drops what is too old and grows instead of dropping what is not", () => {
  const ring = new TrailRing();
  const { capacity } = ring;
  const some = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at * 0.001);
  ring.take(news(some(0, capacity - 10), 20));
  ring.take(news(some(150, 30), 200));
  assert.equal(ring.capacity, capacity, "over the end, without growing");
  assert.deepEqual(ring.runs(ring.tail, ring.head).length, 2);
  assert.deepEqual(
    held(ring).map((at) => Math.round(at)),
    some(150, 30).map((at) => Math.round(at)),
  );
  ring.take(news(some(201, capacity), 230));
  assert.equal(ring.capacity, 2 * capacity);
  assert.equal(held(ring).length, capacity + 30);
  assert.deepEqual(
    held(ring),
    [...held(ring)].sort((a, b) => a - b),
  );
  ring.take(news([5], 5, 2));
  assert.deepEqual(held(ring), [5], "trails that start over");
});

test("a mark holds slot, generation and colour", () => {
  const mark = markOf(65_535, 255, 181);
  assert.deepEqual([mark & 0xffff, (mark >>> 16) & 255, mark >>> 24], [65_535, 255, 181]);
});

test("the outline is the farthest position in each direction, also from before the page was opened", () => {
  const station = { lat: 47, lon: 8 };
  const outline = new Outline();
  outline.setStation(station);
  const ring = (nm: number): number[][] =>
    Array.from({ length: 36 }, (_, at) => destination(station.lat, station.lon, at * 10 + 1, nm));
  outline.seed(ring(100), 0);
  const fleet = new Fleet();
  const [lat, lon] = destination(station.lat, station.lon, 91, 180);
  // What the antenna did not hear: too low for its distance, computed, relayed, and of an unknown altitude.
  const [farLat, farLon] = destination(station.lat, station.lon, 181, 200);
  fleet.takeAircraft(
    [
      { hex: "a", lat, lon, gs: 1, track: 1, alt_baro: 35_000 },
      { hex: "b", lat: farLat, lon: farLon, alt_baro: 5_000 },
      { hex: "c", lat: farLat, lon: farLon, alt_baro: 35_000, mlat: ["lat", "lon"] },
      { hex: "d", lat: farLat, lon: farLon, alt_baro: 35_000, tisb: ["lat", "lon"] },
      { hex: "e", lat: farLat, lon: farLon },
    ],
    [],
    true,
    5,
  );
  outline.take(fleet);
  const points = outline.changes()!;
  const distances = points.map(([x, y]) => Math.round(distanceNm(station.lat, station.lon, y, x)));
  assert.equal(distances.length, 36);
  assert.equal(Math.max(...distances), 180);
  assert.equal(distances.filter((nm) => nm === 100).length, 35);
  assert.equal(outline.changes(), null, "nothing new");
  // What was farthest a day ago is removed.
  outline.seed(ring(50), 86_401);
  assert.ok(outline.changes()!.every(([x, y]) => distanceNm(station.lat, station.lon, y, x) < 181));
  outline.seed([[mercatorX(0), mercatorY(0)]], 86_401);
  outline.setStation(null);
  assert.deepEqual(outline.changes(), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, {
  document: { documentElement: { dataset: {} }, querySelector: () => null, createTreeWalker: () => ({}) },
  localStorage: { getItem: () => null, setItem: () => undefined },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
});
const { spread, shareOf } = await import("../src/features/history/heat");
const { bandsOf, outlineOf } = await import("../src/features/history/coverage");
const { following, indexAt, speedFor, speedsWith } = await import("../src/features/history/timeline");
const { distanceNm } = await import("../src/core/mercator");
const { dayOf, daySpan } = await import("../src/features/history/days");

test("a cell of the heat map spreads as a bell around its place, and nothing is lost", () => {
  const [width, height] = [61, 41];
  const field = spread([{ x: 30, y: 20, value: 100 }], width, height, 4);
  assert.ok(Math.abs(field.reduce((sum, value) => sum + value, 0) - 100) < 0.01);
  const row = Array.from({ length: 25 }, (_, at) => field[20 * width + 30 + at]);
  assert.ok(
    row.every((value, at) => at === 0 || value <= row[at - 1]),
    "it falls to all sides",
  );
  assert.ok(Math.abs(field[20 * width + 34] / row[0] - Math.exp(-0.5)) < 0.08, "at one sigma");
  assert.ok(Math.abs(field[20 * width + 34] - field[24 * width + 30]) < 1e-4, "round, not square");
  const diagonal = field[23 * width + 33];
  assert.ok(Math.abs(diagonal / row[0] - Math.exp(-9 / 16)) < 0.08, "as far aslant as along");
});

test("an even field of cells is drawn with the value of each", () => {
  const cells = Array.from({ length: 400 }, (_, at) => ({
    x: (at % 20) * 3 + 1,
    y: Math.floor(at / 20) * 3 + 1,
    value: 50,
  }));
  const field = spread(cells, 60, 60, 0.6 * 3);
  for (const at of [30 * 60 + 30, 31 * 60 + 31, 32 * 60 + 30])
    assert.ok(Math.abs(field[at] * 9 - 50) < 5, String(field[at] * 9));
});

test("what lies outside of the picture is left out", () => {
  assert.equal(
    Math.max(
      ...spread(
        [
          { x: -500, y: 10, value: 9 },
          { x: 10, y: 9000, value: 9 },
        ],
        20,
        20,
        2,
      ),
    ),
    0,
  );
  assert.equal(shareOf(3600, 3600), 1);
});

test("the outline of coverage has an arc at the farthest position of each sector, and nothing between them is made up", () => {
  const band = { min_altitude_ft: 0, max_altitude_ft: 5000, farthest_nm: 90 };
  const sectors = [40, 90, null, 30].map((max_distance_nm, at) => ({
    bearing_from: at * 90,
    bearing_to: (at + 1) * 90,
    max_distance_nm,
    bands: [{ min_altitude_ft: 0, max_altitude_ft: 5000, max_distance_nm, points: 1 }],
  }));
  const station = { lat: 47, lon: 8 };
  const far = outlineOf(sectors, band, station).map(([lon, lat]) => distanceNm(station.lat, station.lon, lat, lon));
  assert.equal(far.length, 4 * 46);
  [40, 90, 0, 30].forEach((nm, at) =>
    assert.ok(
      far.slice(at * 46, at * 46 + 46).every((one) => Math.abs(one - nm) < 0.1),
      `sector ${at}`,
    ),
  );
});

test("bands without a position have no outline and no line in the legend", () => {
  const band = (min_altitude_ft: number, max_distance_nm: number | null): object => ({
    min_altitude_ft,
    max_altitude_ft: min_altitude_ft + 5000,
    max_distance_nm,
  });
  const sector = (...bands: object[]): never =>
    ({ bearing_from: 0, bearing_to: 10, max_distance_nm: 1, bands }) as never;
  const bands = bandsOf([sector(band(5000, 20), band(0, null)), sector(band(5000, 30), band(0, null))]);
  assert.deepEqual(
    bands.map(({ min_altitude_ft, farthest_nm }) => [min_altitude_ft, farthest_nm]),
    [[5000, 30]],
  );
});

test("a moment of the time line is the last picture not after it", () => {
  assert.deepEqual(
    [5, 10, 15, 20, 99].map((moment) => indexAt([10, 20, 30], moment)),
    [0, 0, 0, 1, 2],
  );
  assert.equal(indexAt([], 5), 0);
});

test("a day is from midnight to midnight of the reader", () => {
  const day = dayOf(new Date(2026, 2, 1), -1);
  assert.equal(day, "2026-02-28");
  const { from, to } = daySpan(day);
  assert.deepEqual([new Date(from!).getHours(), new Date(to!).getDate()], [0, 1]);
  assert.deepEqual(daySpan("nonsense"), {});
});

test("a replay takes a minute, and its speed is one of those to choose from", () => {
  assert.equal(speedFor(0, 3_600_000), 60);
  assert.equal(speedFor(0, 22 * 60_000), 22);
  assert.equal(speedFor(0, 30_000), 1, "not slower than it was");
  assert.deepEqual(speedsWith(22), [1, 10, 22, 30, 60, 120, 300]);
  assert.deepEqual(speedsWith(60), [1, 10, 30, 60, 120, 300]);
});

test("at high speeds pictures are passed over, and none is missed at low ones", () => {
  const times = Array.from({ length: 100 }, (_, at) => at * 10);
  assert.equal(following(times, 4, 60), 5);
  assert.equal(following(times, 4, 1440), 12, "72 s, which take 50 ms");
  assert.equal(following(times, 98, 1440), 99);
  assert.equal(following(times, 99, 60), 99, "the last");
});

import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, {
  document: { documentElement: { dataset: {} }, querySelector: () => null, createTreeWalker: () => ({}) },
  localStorage: { getItem: () => null, setItem: () => undefined },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
});
const { spread, shareOf } = await import("../src/features/history/heat");
const { bandsOf, rounded } = await import("../src/features/history/coverage");
const { indexAt } = await import("../src/features/history/timeline");
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

test("the outline of coverage is smooth, passes through every bearing and swings beyond none", () => {
  const values = [40, 42, 90, 88, 0, 0, 30, 41];
  const curve = rounded(values, 10);
  assert.equal(curve.length, 80);
  values.forEach((value, at) => assert.ok(Math.abs(curve[at * 10] - value) < 1e-9));
  assert.ok(Math.min(...curve) >= 0 && Math.max(...curve) <= 90);
  const steps = curve.map((value, at) => Math.abs(value - curve.at(at - 1)!));
  assert.ok(Math.max(...steps) < 15, "no corner of a step");
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

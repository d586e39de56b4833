import assert from "node:assert/strict";
import { test } from "node:test";
import { approach, nearest, placeAt, type Fix } from "../src/features/safety/approach";

Object.assign(globalThis, {
  document: { documentElement: { dataset: {} }, querySelector: () => null, createTreeWalker: () => ({}) },
  localStorage: { getItem: () => null, setItem: () => undefined },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
});
const { niceTop } = await import("../src/features/safety/chart");
const { sentenceOf } = await import("../src/features/safety/events");

const fix = (at: number, lat: number, lon: number, altitude: number | null = 10_000, gap = false): Fix => ({
  at,
  lat,
  lon,
  altitude,
  gap,
});

test("two that cross are nearest where their lines cross, and the height is between the fixes", () => {
  const east = [fix(0, 47, 8), fix(100, 47, 9)];
  const north = [fix(0, 46.5, 8.5, 11_000), fix(100, 47.5, 8.5, 12_000)];
  const samples = approach(east, north, 0, 100);
  assert.equal(samples.length, 101);
  const best = nearest(samples)!;
  assert.equal(best.at, 50);
  assert.ok(best.distance_nm < 1e-6);
  assert.equal(best.vertical_ft, 1500);
});

test("where one was not heard nothing is reckoned", () => {
  const track = [fix(0, 47, 8), fix(10, 47, 8.1), fix(80, 47, 8.8, 10_000, true), fix(90, 47, 8.9, null)];
  assert.equal(placeAt(track, 40), null);
  assert.equal(placeAt(track, -1), null);
  assert.equal(placeAt(track, 91), null);
  assert.equal(placeAt(track, 85)!.altitude, null);
  const samples = approach(track, track, 0, 90);
  assert.deepEqual([samples[10].at, samples[11].at], [10, 80]);
  assert.equal(samples.at(-1)!.vertical_ft, null);
});

test("a line over the date line is the short one", () => {
  assert.ok(Math.abs(placeAt([fix(0, 0, 179.9), fix(10, 0, -179.9)], 5)!.lon - 180) < 1e-9);
});

test("axes end at round numbers", () => {
  assert.deepEqual(
    [0.034, 0.5, 1.3, 4, 740, 1000].map((value) => Number(niceTop(value).toPrecision(3))),
    [0.05, 0.5, 2, 5, 1000, 1000],
  );
});

test("an encounter is told in the present while it lasts and in the past once it is over", () => {
  const at = "2026-11-22T10:00:00Z";
  const now = Date.parse(at);
  const event = {
    type: "proximity",
    icao_hex: "4B0001",
    icao_hex_2: "4B0002",
    callsigns: ["SWR1", ""],
    message: "in English",
    closest: { at, distance_nm: 0.3, vertical_ft: 200 },
    ended_at: null,
  };
  const key = (change: object, moment = now): string => sentenceOf({ ...event, ...change } as never, moment);
  // Without a catalogue a text is its key.
  assert.equal(key({}, now - 20_000), "encounter.ahead");
  assert.equal(key({}, now + 5000), "encounter.near");
  assert.equal(key({ ended_at: "2026-11-22T10:00:20Z" }, now + 60_000), "encounter.over");
  assert.equal(key({ ended_at: "2026-11-22T09:59:50Z" }, now + 60_000), "encounter.forecast");
  assert.equal(key({ closest: null }), "in English");
  assert.equal(key({ type: "acas_ra" }), "in English");
});

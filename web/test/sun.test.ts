import assert from "node:assert/strict";
import { test } from "node:test";
import "./dom";
import { live } from "../src/live/live";
import { layer, start, stop } from "../src/map/overlays/night";
import { night, subsolarPoint } from "../src/map/overlays/sun";
import { reading } from "../src/map/overlays/ruler";

test("the sun is overhead where the almanac has it", () => {
  // Solstice and equinox of 2026; at 12:00 UT the equation of time moves the sun off Greenwich.
  const [summer, lon] = subsolarPoint(new Date("2026-06-21T12:00:00Z"));
  assert.ok(Math.abs(summer - 23.44) < 0.02 && Math.abs(lon - 0.45) < 0.1, `${summer} ${lon}`);
  const [equinox] = subsolarPoint(new Date("2026-03-20T14:46:00Z"));
  assert.ok(Math.abs(equinox) < 0.02, `${equinox}`);
});

test("at midnight it is night, at noon it is day, and in winter the north pole is dark", () => {
  const latAt = (ring: [number, number][], lon: number): number => ring.find(([at]) => at === lon)![1];
  const winter = night(new Date("2026-12-21T12:00:00Z"));
  // The ring goes along the dark pole; at the meridian of noon the day reaches to the polar circle.
  assert.equal(winter.at(-2)![1], 85);
  assert.ok(Math.abs(latAt(winter, 0) - 66.56) < 0.2);
  assert.ok(latAt(winter, 180) < -60);
});

test("in a replay the night is that of the replayed moment, and after it that of now", () => {
  const noon = Date.UTC(2026, 5, 21, 12) / 1000;
  const drawn = (): string => String(layer.getSource()!.getExtent());
  const top = (): number => layer.getSource()!.getExtent()![3];
  live.isReplay.set(true);
  live.now.set(noon);
  start();
  const summer = top();
  live.now.set(noon + 182 * 86_400);
  assert.ok(top() > summer + 1_000_000, "the north pole is dark in winter alone");
  const replayed = drawn();
  live.isReplay.set(false);
  assert.notEqual(drawn(), replayed);
  stop();
});

test("the ruler has the distance and the bearings there and back", () => {
  // Zurich to Geneva, by the sphere.
  assert.equal(reading([8.5492, 47.4582], [6.109, 46.2381]).replace("\u00a0", " "), "124 nm\n235° / 053°");
});

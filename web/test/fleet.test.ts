import assert from "node:assert/strict";
import { test } from "node:test";
import { classOf } from "../src/live/classes";
import { isNamed, passes, wordsOf } from "../src/live/filter";
import { Fleet, unwrap } from "../src/live/fleet";
import { layOut, labelBox, linesOf } from "../src/live/labels";
import { FLAG, NO_FILTER, type Aircraft, type Look } from "../src/live/messages";
import { windowOf } from "../src/live/order";
import {
  HALF_WORLD,
  bearingTo,
  destination,
  distanceNm,
  mercatorX,
  mercatorY,
  toLat,
  toLon,
} from "../src/core/mercator";
import { designatorsNamed } from "../src/panel/names";
import { LEGEND_FT, altitudeColour } from "../src/core/ramp";

const LOOK: Look = {
  dark: true,
  labels: true,
  metric: false,
  labelLines: [["flight"], ["altitude", "gs"]],
  labelScale: 1,
  ramp: "even",
  trailSpan: 0,
  outline: false,
};
const some = (hex: string, more: Partial<Aircraft> = {}): Aircraft => ({
  hex,
  lat: 47,
  lon: 8,
  gs: 360,
  track: 90,
  alt_baro: 10000,
  ...more,
});

test("an aircraft is moved along its track between two pictures", () => {
  const fleet = new Fleet();
  fleet.takeAircraft([some("4b1617")], [], true, 100);
  const slot = fleet.slots.get("4b1617")!;
  const metres = (fleet.drawnX(slot, 110) - fleet.drawnX(slot, 100)) * Math.cos((47 * Math.PI) / 180);
  assert.ok(Math.abs(metres - 1852) < 10, `ten seconds at 360 kt are a nautical mile, not ${metres} m`);
  assert.equal(Math.round(fleet.drawnY(slot, 110)), Math.round(fleet.drawnY(slot, 100)));
});

test("an aircraft that is heard no more stops after a while", () => {
  const fleet = new Fleet();
  fleet.takeAircraft([some("4b1617")], [], true, 100);
  const slot = fleet.slots.get("4b1617")!;
  assert.equal(fleet.drawnX(slot, 130), fleet.drawnX(slot, 200));
});

test("a new picture does not make an aircraft jump", () => {
  const fleet = new Fleet();
  fleet.beginPicture(100);
  fleet.takeAircraft([some("4b1617")], [], true, 100);
  const slot = fleet.slots.get("4b1617")!;
  const before = fleet.drawnX(slot, 101);
  fleet.beginPicture(101);
  fleet.takeAircraft([some("4b1617", { lon: 8.01 })], [], false, 101);
  assert.ok(Math.abs(fleet.drawnX(slot, 101) - before) < 1);
  assert.ok(
    Math.abs(fleet.drawnX(slot, 102) - mercatorX(8.01) - fleet.vx[slot]) < 1,
    "after a second it is where it is",
  );
});

test("columns are rows, and a full state replaces what was there", () => {
  const fleet = new Fleet();
  const fields = ["hex", "lat", "lon", "track", "gs", "alt_baro", "flags", "flight"];
  fleet.takeRows(
    fields,
    [
      ["aaaaaa", 1, 2, 3, 4, 5, FLAG.military, "ONE"],
      ["bbbbbb", null, null, null, null, null, 0, null],
    ],
    [],
    true,
    1,
  );
  assert.deepEqual([...fleet.slots.keys()], ["aaaaaa", "bbbbbb"]);
  fleet.takeRows(fields, [["cccccc", 1, 2, 3, 4, 5, 0, "TWO"]], [], true, 2);
  assert.deepEqual([...fleet.slots.keys()], ["cccccc"]);
  fleet.takeRows(fields, [], ["cccccc"], false, 3);
  assert.equal(fleet.slots.size, 0);
});

test("filters combine, and what is not known meets no limit", () => {
  const filter = { ...NO_FILTER, minAltitude: 5000, classes: ["airliner"] };
  assert.ok(passes(some("a", { t: "A320" }), 0, filter, [], null));
  assert.ok(!passes(some("a", { t: "A320", alt_baro: 4000 }), 0, filter, [], null));
  assert.ok(!passes(some("a", { t: "A320", alt_baro: null }), 0, filter, [], null));
  assert.ok(!passes(some("a", { t: "C172" }), 0, filter, [], null));
  assert.ok(passes(some("4b1617", { flight: "SWR123" }), 0, NO_FILTER, wordsOf("swr 4b16"), null));
  assert.ok(!passes(some("4b1617", { flight: "SWR123" }), 0, NO_FILTER, wordsOf("swr x"), null));
  assert.ok(passes(some("4ca123", { squawk: "7000" }), 0, NO_FILTER, wordsOf("7000"), null));
});

test("an aircraft is found by the name of its operator, and named by what it is called alone", () => {
  const operators = { ryanair: designatorsNamed("ryanair") };
  assert.ok(passes(some("4ca123", { flight: "RYR5GH" }), 0, NO_FILTER, wordsOf("Ryanair", operators), null));
  assert.ok(!passes(some("4ca123", { flight: "SWR5GH" }), 0, NO_FILTER, wordsOf("Ryanair", operators), null));
  assert.deepEqual(designatorsNamed("aeromexico"), ["AMX"], "without accents");
  assert.deepEqual(designatorsNamed("ai"), [], "two letters are in too many names");
  assert.ok(isNamed(some("4b1617", { flight: "SWR12 " }), "swr12"));
  assert.ok(!isNamed(some("4b1617", { flight: "SWR123" }), "swr12"));
});

test("the list puts what is not known last in either order", () => {
  const fleet = new Fleet();
  fleet.takeAircraft([some("a", { gs: 300 }), some("b", { gs: null }), some("c", { gs: 100 })], [], true, 1);
  const order = (descending: boolean): string[] =>
    windowOf(fleet, { offset: 0, limit: 9, sort: "gs", descending, airFirst: false }, null).rows.map(
      (slot) => fleet.aircraft[slot].hex,
    );
  assert.deepEqual(order(false), ["c", "a", "b"]);
  assert.deepEqual(order(true), ["a", "c", "b"]);
});

test("no label covers another", () => {
  const fleet = new Fleet();
  const list = Array.from({ length: 400 }, (_, at) =>
    some(at.toString(16).padStart(6, "0"), {
      flight: `TST${at}`,
      lat: 47 + (at % 20) / 30,
      lon: 8 + Math.floor(at / 20) / 30,
    }),
  );
  fleet.takeAircraft(list, [], true, 1);
  const view = { x: mercatorX(8.3), y: mercatorY(47.3), resolution: 100, width: 1200, height: 900 };
  const rows = Int32Array.from({ length: 400 }, (_, at) => at);
  const labels = layOut(fleet, rows, 400, view, LOOK, -1, new Map());
  assert.ok(labels.length > 20, `${labels.length} labels`);
  const boxes = labels.map(({ row, side, lines }) => {
    const x = (fleet.x[row] - view.x) / view.resolution + view.width / 2;
    const y = (view.y - fleet.y[row]) / view.resolution + view.height / 2;
    return labelBox(x, y, side, Math.max(...lines.map((line) => line.length)) * 7.3, 26);
  });
  boxes.forEach((a, at) =>
    boxes
      .slice(at + 1)
      .forEach((b) => assert.ok(a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom)),
  );
});

test("types and categories have their drawings", () => {
  assert.deepEqual(
    ["A320", "B77W", "A388", "C172", "EC35", "EUFI", "C130", "AT76", "GLF6", "AS25", "BALL"].map((type) =>
      classOf(type, "", false),
    ),
    [
      "airliner",
      "heavy",
      "jumbo",
      "light",
      "helicopter",
      "fighter",
      "transport",
      "turboprop",
      "business_jet",
      "glider",
      "balloon",
    ],
  );
  assert.equal(classOf("", "A7", false), "helicopter");
  assert.equal(classOf("", "", false), "unknown");
});

test("the world goes round", () => {
  assert.ok(Math.abs(unwrap(mercatorX(-179), mercatorX(179)) - mercatorX(181)) < 1e-3);
  assert.ok(Math.abs(toLon(mercatorX(181)) + 179) < 1e-9);
  assert.ok(Math.abs(toLat(mercatorY(60)) - 60) < 1e-9);
  assert.ok(mercatorY(90) < HALF_WORLD * 1.01);
  const [lat, lon] = destination(47, 8, 45, 100);
  assert.ok(Math.abs(distanceNm(47, 8, lat, lon) - 100) < 0.01);
  assert.ok(Math.abs(bearingTo(47, 8, lat, lon) - 45) < 0.01);
});

test("neighbouring colours of the ramp differ also for colour-blind eyes", () => {
  // Viénot, Brettel and Mollon 1999, in linear light: what a dichromat sees of a colour.
  const views: Record<string, number[][]> = {
    protanopia: [
      [0.11238, 0.88762, 0],
      [0.11238, 0.88762, 0],
      [0.00401, -0.00401, 1],
    ],
    deuteranopia: [
      [0.29275, 0.70725, 0],
      [0.29275, 0.70725, 0],
      [-0.02234, 0.02234, 1],
    ],
    tritanopia: [
      [1, 0.1446, -0.1446],
      [0, 0.8592, 0.1408],
      [0, 0.8592, 0.1408],
    ],
  };
  const linear = (part: number): number =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const lab = (rgb: number[]): number[] => {
    const [r, g, b] = rgb;
    const f = (value: number): number => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  for (const [name, matrix] of Object.entries(views)) {
    for (const dark of [true, false]) {
      const seen = LEGEND_FT.map((feet) => {
        const colour = altitudeColour(feet, false, dark).map(linear);
        return lab(
          matrix.map((row) =>
            Math.max(
              0,
              row.reduce((sum, part, at) => sum + part * colour[at], 0),
            ),
          ),
        );
      });
      seen.slice(1).forEach((colour, at) => {
        const difference = Math.hypot(...colour.map((part, index) => part - seen[at][index]));
        assert.ok(difference > 12, `${name}, ${dark ? "dark" : "light"}, step ${at}: ${difference.toFixed(1)}`);
      });
    }
  }
});

test("aircraft in the air stand first, in either order of the column", () => {
  const fleet = new Fleet();
  fleet.takeAircraft(
    [some("a", { gs: 20, alt_baro: "ground" }), some("b", { gs: 200 }), some("c", { gs: 400 })],
    [],
    true,
    1,
  );
  const order = (descending: boolean, airFirst: boolean): string =>
    windowOf(fleet, { offset: 0, limit: 9, sort: "gs", descending, airFirst }, null)
      .rows.map((slot) => fleet.aircraft[slot].hex)
      .join("");
  assert.deepEqual([order(false, true), order(true, true), order(false, false)], ["bca", "cba", "abc"]);
});

test("labels say what was chosen, line by line", () => {
  const fleet = new Fleet();
  const aircraft = some("4b1617", {
    flight: "SWR12 ",
    alt_baro: 35000,
    baro_rate: -800,
    gs: 451.6,
    t: "A320",
    r: "HB-IJA",
    squawk: "1000",
    track: 8.7,
  });
  fleet.takeAircraft([aircraft, some("4b1618", { alt_baro: "ground", t: "A321" })], [], true, 1);
  const lines = (labelLines: Look["labelLines"], slot = 0, more: Partial<Look> = {}): string[] =>
    linesOf(fleet, slot, { ...LOOK, labelLines, ...more });
  assert.deepEqual(lines(LOOK.labelLines), ["SWR12", "350↓452"]);
  assert.deepEqual(lines([["t", "r"], ["altitude"], ["squawk", "track"]]), ["A320 HB-IJA", "350↓", "1000 009°"]);
  assert.deepEqual(lines([["baro_rate", "hex"]]), ["−8 4B1617"]);
  assert.deepEqual(lines(LOOK.labelLines, 0, { metric: true }), ["SWR12", "10.7↓836"]);
  // A line without a value is left out, and a label never is empty.
  assert.deepEqual(lines([["flight"], ["altitude", "gs"], ["t"]], 1), ["4b1618", "A321"]);
  assert.deepEqual(lines([["squawk"]], 1), ["4b1618"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { toLonLat } from "ol/proj";
import Feature from "ol/Feature";
import type Geometry from "ol/geom/Geometry";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import type { Style } from "ol/style";
import { clipLine, clipRing, onPlane, rowsOf, runwaysOf } from "../ground.mjs";
import { cellsIn, featuresOf, isThere, LOCAL, REGION, unpacked } from "../src/map/ground/cells";
import { drawingOf, smallestTown } from "../src/map/ground/ground_style";
import { placesNamed } from "../src/map/ground/places";

test("a ring is cut at both limits, and keeps the corners between", () => {
  const square = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
    [0, 0],
  ];
  const part = clipRing(square, 0, 4, 6);
  assert.deepEqual([Math.min(...part.map(([x]) => x)), Math.max(...part.map(([x]) => x))], [4, 6]);
  assert.deepEqual([Math.min(...part.map(([, y]) => y)), Math.max(...part.map(([, y]) => y))], [0, 10]);
  assert.deepEqual(clipRing(square, 0, 11, 12), []);
});

test("a line that leaves and comes back has two parts, and one that crosses in one step has one", () => {
  assert.deepEqual(
    clipLine(
      [
        [1, 0],
        [3, 0],
        [3, 2],
        [1, 2],
      ],
      0,
      0,
      2,
    ),
    [
      [
        [1, 0],
        [2, 0],
      ],
      [
        [2, 2],
        [1, 2],
      ],
    ],
  );
  assert.deepEqual(
    clipLine(
      [
        [-5, 0],
        [5, 10],
      ],
      0,
      0,
      2,
    ),
    [
      [
        [0, 5],
        [2, 7],
      ],
    ],
  );
  assert.deepEqual(
    clipLine(
      [
        [-5, 0],
        [-1, 10],
      ],
      0,
      0,
      2,
    ),
    [],
  );
});

test("a ring across the 180th meridian becomes one on each side", () => {
  const parts = onPlane([
    [
      [170, 60],
      [-170, 60],
      [-170, 70],
      [170, 70],
      [170, 60],
    ],
  ]);
  const spans = parts
    .map(([ring]) => [Math.min(...ring.map(([x]) => x)), Math.max(...ring.map(([x]) => x))])
    .sort(([a], [b]) => a - b);
  assert.deepEqual(spans, [
    [-180, -170],
    [170, 180],
  ]);
});

test("a ring around the south pole is closed along the edge of the map", () => {
  const ring = [-180, -90, 0, 90, 179].map((x) => [x, -70]);
  const [[flat]] = onPlane([[...ring, [-180, -70]]]);
  assert.ok(flat.some(([, y]) => y === -90));
});

const HEAD =
  "airport_ident,length_ft,width_ft,closed,le_latitude_deg,le_longitude_deg,le_heading_degT,he_latitude_deg,he_longitude_deg,le_ident,he_ident";
const runways = (line: string): [number[], number[], number, [string, string]][] =>
  runwaysOf(rowsOf(`${HEAD}\n${line}`), new Map([["TEST", [8, 0]]]));

test("a runway goes from one surveyed end to the other", () => {
  assert.deepEqual(runways("TEST,10000,150,0,0,8,90,0,8.0274,09L,27R"), [[[8, 0], [8.0274, 0], 150, ["09L", "27R"]]]);
  assert.deepEqual(runways("TEST,10000,150,0,0,8,90,0,8.0274,H1,N"), [[[8, 0], [8.0274, 0], 150, ["", ""]]]);
});

test("a runway without ends lies around its airport, by its true heading and length", () => {
  const [[from, to]] = runways("TEST,10000,150,0,,,90,,");
  assert.ok(Math.abs((to[0] - from[0]) * 364_567 - 10_000) < 5 && Math.abs(to[1] - from[1]) < 1e-9);
});

test("closed runways, and ends that contradict the length, are left out", () => {
  assert.deepEqual(runways("TEST,10000,150,1,0,8,90,0,8.0274"), []);
  assert.deepEqual(runwaysOf(rowsOf(`${HEAD}\nELSE,10000,150,0,0,8,90,0,9`), new Map()), []);
});

test("a view has the cells that it shows, across the 180th meridian too", () => {
  assert.deepEqual(cellsIn(REGION, [5, 44, 12, 49]), [
    [18, 13],
    [19, 13],
  ]);
  assert.deepEqual(cellsIn(REGION, [175, 1, 185, 9]), [
    [35, 9],
    [0, 9],
  ]);
  assert.equal(cellsIn(LOCAL, [-400, -90, 400, 90]).length, 72 * 36);
});

test("one hexadecimal digit says of four cells which are there", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((y) => isThere("50", REGION, 0, y)),
    [false, true, false, true, false],
  );
  assert.equal(isThere("", REGION, 3, 3), false);
});

test("numbers of a cell are positions on the map, and rings end where they begin", () => {
  const [lon, lat] = toLonLat(unpacked([8000, 47_000, 500, -500])[1]);
  assert.ok(Math.abs(lon - 8.5) < 1e-6 && Math.abs(lat - 46.5) < 1e-6);
  const features = featuresOf(
    { land: [[[0, 0, 1000, 0, 0, 1000]]], towns: [["Kloten", 8583, 47_451, 18_000]] },
    REGION,
    18,
    9,
  );
  assert.deepEqual(
    features.map((one) => one.get("kind") as string),
    ["sea", "land", "town"],
  );
  const ring = (features[1].getGeometry() as Geometry & { getCoordinates(): number[][][] }).getCoordinates()[0];
  assert.deepEqual(ring[0], ring.at(-1));
});

test("the closer, the smaller the towns that are named", () => {
  const sizes = [2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(smallestTown);
  assert.equal(sizes[0], Infinity);
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
  );
  assert.equal(sizes.at(-1), 0);
});

test("places are found by code and by the beginnings of words, the best and the largest first", () => {
  const features = featuresOf(
    {
      towns: [
        ["Bern", 7450, 46950, 130_000],
        ["Sankt Bernhard", 7100, 45800, 900],
        ["Zürich", 8550, 47370, 400_000],
        ["Bernau", 13580, 52680, 40_000],
      ],
      airports: [
        [8550, 47460, "ZRH", "LSZH", "Zurich Airport"],
        [7500, 46910, "BRN", "LSZB", "Bern-Belp Regional Airport"],
      ],
    },
    REGION,
    18,
    13,
  );
  const names = (text: string): string[] => placesNamed(text, features).map(({ name }) => name);
  assert.deepEqual(names("bern"), ["Bern", "Bernau", "Bern-Belp Regional Airport", "Sankt Bernhard"]);
  assert.deepEqual(names("LSZH"), ["Zurich Airport"]);
  assert.deepEqual(names("zurich"), ["Zürich", "Zurich Airport"], "without accents");
  assert.deepEqual(names("belp"), ["Bern-Belp Regional Airport"]);
  assert.deepEqual(names("be"), [], "two letters are too few");
  assert.deepEqual(names("ern"), [], "words are found by their beginning");
  const [{ lat, lon, code }] = placesNamed("brn", features);
  assert.deepEqual([lat.toFixed(2), lon.toFixed(2), code], ["46.91", "7.50", "BRN"]);
});

test("the larger a town, the larger its name", () => {
  const draw = drawingOf(true);
  const fonts = [2_000_000, 200_000, 30_000, 2_000].map((population) => {
    const town = new Feature({ geometry: new Point([0, 0]), kind: "town", name: "Town", population });
    const style = draw(town, 20) as Style;
    assert.ok(style.getImage(), "a dot");
    return Number(/([\d.]+)px/.exec(style.getText()!.getFont()!)![1]);
  });
  assert.deepEqual(
    fonts,
    [...new Set(fonts)].sort((a, b) => b - a),
  );
});

test("airports have their names from zoom 9 on, and runways their numbers from zoom 12 on", () => {
  const draw = drawingOf(false);
  const resolution = (zoom: number): number => 156_543.03 / 2 ** zoom;
  const airport = new Feature({
    geometry: new Point([0, 0]),
    kind: "airport",
    code: "ZRH",
    icao: "LSZH",
    name: "Zurich",
  });
  const words = (zoom: number): string => String((draw(airport, resolution(zoom)) as Style).getText()?.getText() ?? "");
  assert.equal(words(7), "");
  assert.ok(words(8).includes("ZRH") && !words(8).includes("Zurich"));
  assert.ok(words(9).includes("Zurich"));
  const line = new LineString([
    [0, 0],
    [3000, 0],
  ]);
  const runway = new Feature({ geometry: line, kind: "runway", width: 150, numbers: ["09", ""] });
  const styles = (zoom: number): Style[] => draw(runway, resolution(zoom)) as Style[];
  assert.equal(styles(11).length, 2);
  const [, , number, ...none] = styles(12);
  assert.deepEqual([number.getText()!.getText(), none.length], ["09", 0]);
  assert.ok(Math.abs(number.getText()!.getRotation()! - Math.PI / 2) < 1e-9, "read by who lands towards the east");
});

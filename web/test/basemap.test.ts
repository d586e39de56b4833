import assert from "node:assert/strict";
import { test } from "node:test";
import Feature from "ol/Feature";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import Polygon from "ol/geom/Polygon";
import type { Style } from "ol/style";
import { basemapDrawing, kindOf } from "../src/map/ground/basemap_style";

const AREA = new Polygon([
  [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ],
]);
const LINE = new LineString([
  [0, 0],
  [1, 1],
]);
const SPOT = new Point([0, 0]);
const of = (geometry: Polygon | LineString | Point, members: Record<string, unknown>): Feature =>
  new Feature({ geometry, ...members });

test("the basemap of Protomaps is understood, its version before too", () => {
  assert.equal(kindOf(of(AREA, { layer: "earth", kind: "earth" })), "earth");
  assert.equal(kindOf(of(AREA, { layer: "water", kind: "lake" })), "water");
  assert.equal(kindOf(of(LINE, { layer: "water", kind: "river" })), "stream");
  assert.equal(kindOf(of(AREA, { layer: "landuse", kind: "forest" })), "wood");
  assert.equal(kindOf(of(LINE, { layer: "roads", kind: "highway" })), "motorway");
  assert.equal(kindOf(of(LINE, { layer: "roads", kind: "aeroway", kind_detail: "runway" })), "runway");
  assert.equal(kindOf(of(LINE, { layer: "boundaries", kind: "country" })), "country");
  assert.equal(kindOf(of(LINE, { layer: "boundaries", "pmap:min_admin_level": 2 })), "country");
  assert.equal(kindOf(of(LINE, { layer: "roads", "pmap:kind": "major_road" })), "road");
});

test("the names of OpenMapTiles are understood", () => {
  assert.equal(kindOf(of(LINE, { layer: "waterway", class: "river" })), "stream");
  assert.equal(kindOf(of(LINE, { layer: "transportation", class: "motorway" })), "motorway");
  assert.equal(kindOf(of(AREA, { layer: "landcover", class: "wood" })), "wood");
  assert.equal(kindOf(of(AREA, { layer: "aeroway", class: "runway" })), "runway");
  assert.equal(kindOf(of(LINE, { layer: "boundary", admin_level: 4 })), "region");
  assert.equal(kindOf(of(AREA, { layer: "park", class: "something" })), "grass");
});

test("what is unknown is not drawn", () => {
  assert.equal(kindOf(of(AREA, { layer: "mystery", kind: "water" })), null);
  assert.equal(kindOf(of(LINE, { layer: "roads", kind: "hyperloop" })), null);
  assert.equal(basemapDrawing(true, "en")(of(AREA, { layer: "mystery" }), 100), undefined);
});

test("places have the reader's language, and small ones come with the zoom", () => {
  const draw = basemapDrawing(false, "de");
  const place = of(SPOT, {
    layer: "places",
    kind: "locality",
    kind_detail: "village",
    name: "Kleines",
    population: 4000,
  });
  assert.equal(draw(place, 156543 / 2 ** 8), undefined);
  const city = of(SPOT, { layer: "places", kind: "locality", name: "Genève", "name:de": "Genf", population: 200_000 });
  assert.equal((draw(city, 156543 / 2 ** 8) as Style).getText()!.getText(), "Genf");
});

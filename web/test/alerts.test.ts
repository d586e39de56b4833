import assert from "node:assert/strict";
import { test } from "node:test";
import {
  append,
  branch,
  countTests,
  placeOf,
  replace,
  typed,
  withField,
  withOp,
  type Node,
  type Test,
} from "../src/features/alerts/rules/conditions";
import {
  ShapeFault,
  assemble,
  circle,
  geometryOf,
  polygonsOf,
  readRings,
  writeRings,
  type Ring,
} from "../src/features/alerts/geofences/fence_shape";
import { distanceNm } from "../src/core/mercator";

const low: Test = { field: "alt_baro", op: "lt", value: 3000 };
const near: Test = { field: "distance_nm", op: "lt", value: 5 };
const tree: Node = { all: [low, { any: [near, { not: { field: "military", op: "eq", value: true } }] }] };

test("a part of the conditions is replaced where it is, and a branch that is left empty goes with it", () => {
  const changed = replace(tree, [1, 1, 0], () => near);
  assert.deepEqual(changed, { all: [low, { any: [near, { not: near }] }] });
  assert.deepEqual(
    replace(tree, [1, 1, 0], () => null),
    { all: [low, { any: [near] }] },
  );
  assert.deepEqual(
    replace({ all: [{ any: [low] }, near] }, [0, 0], () => null),
    { all: [near] },
  );
  assert.equal(
    replace({ all: [low] }, [0], () => null),
    null,
  );
  assert.deepEqual(tree, { all: [low, { any: [near, { not: { field: "military", op: "eq", value: true } }] }] });
});

test("a part is added to any branch, also to one of not, which has one child", () => {
  assert.deepEqual(append(tree, [1], low), {
    all: [low, { any: [near, { not: { field: "military", op: "eq", value: true } }, low] }],
  });
  assert.deepEqual(append({ not: low }, [], near), { not: { all: [low, near] } });
  assert.deepEqual(append({ not: { all: [low] } }, [], near), { not: { all: [low, near] } });
  assert.deepEqual(append({ not: { any: [low] } }, [], near), { not: { all: [{ any: [low] }, near] } });
  assert.deepEqual(branch("not", [low, near]), { not: { all: [low, near] } });
  assert.equal(countTests(tree), 3);
});

test("a part is named as the service names it in its faults", () => {
  assert.equal(placeOf(tree, [0]), "conditions.all.0");
  assert.equal(placeOf(tree, [1, 1, 0]), "conditions.all.1.any.1.not");
});

test("what is typed becomes what the service takes", () => {
  assert.equal(typed(low, "4500"), 4500);
  assert.equal(typed(low, "4500,5"), 4500.5);
  assert.equal(typed(low, "ground"), "ground");
  assert.equal(typed(low, ""), "");
  assert.deepEqual(typed({ field: "squawk", op: "in", value: [] }, "7700, 3000-3050,"), ["7700", "3000-3050"]);
  assert.equal(typed({ field: "flight", op: "matches", value: "" }, "^A{2,3} "), "^A{2,3} ");
  assert.equal(typed({ field: "geofence", op: "within", value: "" }, "7"), 7);
});

test("another field or comparison keeps what fits", () => {
  assert.deepEqual(withField(low, "alt_geom"), { field: "alt_geom", op: "lt", value: 0 });
  assert.deepEqual(withField(low, "military"), { field: "military", op: "eq", value: true });
  assert.deepEqual(withOp({ field: "squawk", op: "eq", value: "7700" }, "in"), {
    field: "squawk",
    op: "in",
    value: ["7700"],
  });
  assert.deepEqual(withOp({ field: "squawk", op: "in", value: ["7700", "7600"] }, "eq"), {
    field: "squawk",
    op: "eq",
    value: "7700",
  });
});

const square = (west: number, south: number, size: number): Ring => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
];

test("an area within another is its hole, and one within the hole is an area again", () => {
  const [outer, hole, island, other] = [square(0, 0, 10), square(2, 2, 6), square(4, 4, 2), square(20, 0, 5)];
  assert.deepEqual(assemble([hole, outer, other, island]), [[outer, hole], [other], [island]]);
  assert.equal(geometryOf(assemble([outer, hole])).type, "Polygon");
  assert.equal(geometryOf(assemble([outer, other])).type, "MultiPolygon");
});

test("a geofence over the date line stays one area", () => {
  const geometry = {
    type: "Polygon" as const,
    coordinates: [
      [
        [170, 10],
        [-170, 10],
        [-170, 20],
        [170, 20],
        [170, 10],
      ],
    ],
  };
  const polygons = polygonsOf(geometry);
  assert.deepEqual(
    polygons[0][0].map(([lon]) => lon),
    [170, 190, 190, 170],
  );
  assert.deepEqual(geometryOf(polygons), geometry);
});

test("corners are read from a text, and a line that is none is named", () => {
  const rings = readRings("47.0, 8.0\n47,9\n48 9\n\n47.2; 8.2\n47.3, 8.2\n47.3, 8.3\n");
  assert.deepEqual(
    rings.map((ring) => ring.length),
    [3, 3],
  );
  assert.deepEqual(rings[0][0], [8, 47]);
  assert.deepEqual(readRings(writeRings([rings])), rings);
  for (const wrong of ["47.0", "91, 8", "a, b", "47, 8, 9"])
    assert.throws(
      () => readRings(`47, 8\n${wrong}`),
      (error) => error instanceof ShapeFault && error.message === "2",
    );
});

test("a circle has its radius everywhere", () => {
  for (const [lon, lat] of circle([8.5, 47.5], 12)) assert.ok(Math.abs(distanceNm(47.5, 8.5, lat, lon) - 12) < 0.01);
});

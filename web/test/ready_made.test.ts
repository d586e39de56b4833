import assert from "node:assert/strict";
import { test } from "node:test";
import { childrenOf, isTest, type Node, type Test } from "../src/features/alerts/rules/conditions";
import { aboutAircraft, around, documentOf, isReadyMade, needsPlace } from "../src/features/alerts/rules/ready_made";

const tests = (node: Node): Test[] => (isTest(node) ? [node] : childrenOf(node).flatMap(tests));

/** Whether a position meets the tests of latitude and longitude. */
function holds(node: Node, lat: number, lon: number): boolean {
  if (!isTest(node))
    return "any" in node
      ? node.any.some((one) => holds(one, lat, lon))
      : childrenOf(node).every((one) => holds(one, lat, lon));
  if (node.field !== "lat" && node.field !== "lon") return true;
  const value = node.field === "lat" ? lat : lon;
  return node.op === "ge" ? value >= Number(node.value) : value <= Number(node.value);
}

test("without a station, low and near is a square around one's own position", () => {
  const { conditions } = documentOf("low");
  assert.ok(needsPlace(conditions));
  const own = around(conditions, [47.45, 8.56]);
  assert.ok(!needsPlace(own));
  assert.deepEqual(
    tests(own).map(({ field }) => field),
    ["lat", "lat", "lon", "lon", "alt_baro", "on_ground"],
  );
  assert.ok(holds(own, 47.49, 8.6));
  assert.ok(!holds(own, 47.55, 8.56));
  assert.ok(!holds(own, 47.45, 8.7));
});

test("a square over the date line has both of its sides", () => {
  const own = around(documentOf("low").conditions, [-17, 179.99]);
  assert.ok(holds(own, -17, 179.95));
  assert.ok(holds(own, -17, -179.98));
  assert.ok(!holds(own, -17, 0));
});

test("the document of a ready-made rule is a new one each time", () => {
  (documentOf("emergency").conditions as { any: Node[] }).any.length = 0;
  assert.equal(tests(documentOf("emergency").conditions).length, 2);
  assert.deepEqual(aboutAircraft("4b1617"), { all: [{ field: "hex", op: "eq", value: "4B1617" }] });
  assert.ok(isReadyMade("military") && !isReadyMade("nothing") && !isReadyMade(undefined));
});

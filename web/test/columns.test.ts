import assert from "node:assert/strict";
import { test } from "node:test";
import { moved } from "../src/list/column_order";

test("a column changes places with its neighbour, and not beyond the ends", () => {
  const keys = ["flight", "t", "gs"];
  assert.deepEqual(moved(keys, keys, "gs", -1), ["flight", "gs", "t"]);
  assert.deepEqual(moved(keys, keys, "flight", 1), ["t", "flight", "gs"]);
  assert.deepEqual(moved(keys, keys, "flight", -1), keys);
  assert.deepEqual(moved(keys, keys, "gs", 1), keys);
});

test("a column that may not be shown now is kept for later", () => {
  assert.deepEqual(moved(["flight", "r", "t"], ["flight", "t"], "t", -1), ["t", "flight", "r"]);
});

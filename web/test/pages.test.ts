import assert from "node:assert/strict";
import { test } from "node:test";
import { olderOf } from "../src/core/pages";

const entries = (...ids: number[]): { id: number }[] => ids.map((id) => ({ id }));

test("further pages stay below the newest one", () => {
  assert.deepEqual(olderOf(entries(6, 5, 4, 3, 2), entries(8, 7, 6, 5)), entries(4, 3, 2));
  assert.deepEqual(olderOf(entries(6, 5, 4), entries(7, 6, 5, 4)), []);
});

test("nothing is shown below a gap", () => {
  assert.deepEqual(olderOf(entries(6, 5, 4), entries(12, 11, 10)), []);
  assert.deepEqual(olderOf(entries(6, 5, 4), []), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { inkOf } from "../src/map/planes/ink";
import { palette } from "../src/core/palette";

test("colours of the palette are given to the graphics card as parts of one", () => {
  assert.deepEqual(
    inkOf("#ff8000").map((part) => part.toFixed(2)),
    ["1.00", "0.50", "0.00", "1.00"],
  );
  assert.deepEqual(inkOf("rgb(255 0 51 / 0.5)"), [1, 0, 0.2, 0.5]);
  for (const dark of [true, false]) {
    for (const colour of [palette(dark).text, palette(dark).textHalo]) {
      assert.ok(
        inkOf(colour).every((part) => part >= 0 && part <= 1),
        colour,
      );
    }
  }
});

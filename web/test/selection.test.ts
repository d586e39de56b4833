import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_SELECTED, addressOf, promoted, selectionOf, toggled } from "../src/core/selection";

test("a further aircraft is shown with its details, and the one before stays selected", () => {
  const one = toggled({ hex: null, also: [] }, "4b1800");
  assert.deepEqual(one, { hex: "4b1800", also: [] });
  assert.deepEqual(toggled(one, "3c6444"), { hex: "3c6444", also: ["4b1800"] });
});

test("what is selected and chosen again is no longer selected", () => {
  const three = { hex: "aaaaaa", also: ["bbbbbb", "cccccc"] };
  assert.deepEqual(toggled(three, "bbbbbb"), { hex: "aaaaaa", also: ["cccccc"] });
  assert.deepEqual(toggled(three, "aaaaaa"), { hex: "bbbbbb", also: ["cccccc"] });
  assert.deepEqual(toggled({ hex: "aaaaaa", also: [] }, "aaaaaa"), { hex: null, also: [] });
  assert.deepEqual(promoted(three, "cccccc"), { hex: "cccccc", also: ["aaaaaa", "bbbbbb"] });
});

test("a selection is read from an address, without what is no aircraft", () => {
  const selection = { hex: "aaaaaa", also: ["bbbbbb", "~cccccc"] };
  assert.deepEqual(addressOf(selection), { hex: "aaaaaa", also: "bbbbbb,~cccccc" });
  assert.deepEqual(selectionOf({ hex: "aaaaaa", also: "bbbbbb,~cccccc" }), selection);
  assert.deepEqual(selectionOf({ hex: "aaaaaa", also: "bbbbbb,aaaaaa,<b>,BBBBBB" }), {
    hex: "aaaaaa",
    also: ["bbbbbb"],
  });
  assert.deepEqual(selectionOf({ also: "bbbbbb" }), { hex: null, also: [] });
  assert.deepEqual(addressOf({ hex: null, also: [] }), { hex: null, also: null });
});

test("no more are selected than can be told apart", () => {
  let selection = { hex: null as string | null, also: [] as string[] };
  for (let at = 0; at < 40; at += 1) selection = toggled(selection, `0000${at + 10}`);
  assert.equal(selection.also.length + 1, MAX_SELECTED);
  assert.equal(selection.hex, "000049");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { folded } from "../src/shell/folding";

const links = [
  { named: 90, bare: 36 },
  { named: 110, bare: 36 },
  { named: 130, bare: 36 },
  { named: 100, bare: 36 },
];

test("names give way one by one from the last, as the room shrinks", () => {
  let before = 0;
  for (let room = 430; room >= 144; room -= 1) {
    const without = folded(links, 0, room)!;
    assert.ok(without.size - before <= 1, `${room} px: one after the other`);
    before = without.size;
    const width = links.reduce((sum, { named, bare }, at) => sum + (without.has(at) ? bare : named), 0);
    assert.ok(width <= room, `${room} px: nothing overlaps`);
  }
  assert.equal(before, 4);
  assert.deepEqual([...folded(links, 0, 400)!], [3]);
});

test("the name of the open page stays the longest", () => {
  assert.deepEqual([...folded(links, 3, 250)!].sort(), [0, 1, 2]);
  assert.deepEqual([...folded(links, 3, 200)!].sort(), [0, 1, 2, 3]);
});

test("where not even the icons fit, there is a menu", () => {
  assert.equal(folded(links, 0, 143), null);
  assert.equal(folded([], -1, 0)?.size, 0);
});

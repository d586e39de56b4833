import assert from "node:assert/strict";
import { test } from "node:test";

// The parts of a browser that an address needs; its event comes later, as in a browser.
const listeners: (() => void)[] = [];
Object.assign(globalThis, {
  location: { hash: "#/audio?at=8,47,9" },
  history: { replaceState: (_state: unknown, _title: string, text: string) => (location.hash = text) },
  addEventListener: (_name: string, listener: () => void) => listeners.push(listener),
});

test("a note that is made before the event of a new address does not undo the way to it", async () => {
  const { go, note, route } = await import("../src/core/address");
  go("settings");
  note({ at: "8,47,10" });
  assert.equal(location.hash, "#/settings?at=8,47,10");
  for (const listener of listeners) listener();
  assert.deepEqual(route.value, { page: "settings", query: { at: "8,47,10" } });
  note({ at: null });
  assert.equal(location.hash, "#/settings");
});

test("an entry of a page is in its address and stays there", async () => {
  const { format, go, note, parse, route } = await import("../src/core/address");
  assert.deepEqual(parse("#/feeders/7?days=30"), { page: "feeders", item: "7", query: { days: "30" } });
  assert.equal(format(parse("#/feeders/7?days=30")), "#/feeders/7?days=30");
  go("feeders/7");
  note({ days: "1" });
  assert.equal(location.hash, "#/feeders/7?days=1");
  assert.deepEqual([route.value.page, route.value.item], ["feeders", "7"]);
});

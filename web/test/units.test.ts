import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, {
  document: { documentElement: { dataset: {} }, querySelector: () => null },
  localStorage: { getItem: () => null, setItem: () => undefined },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
});
const { prefer } = await import("../src/core/preferences");
const { TypedUnit } = await import("../src/ui/units");

test("numbers of a rule are typed in the reader's unit and stored in the service's", () => {
  prefer({ units: "metric" });
  const feet = new TypedUnit("ft");
  assert.equal(feet.name, "m");
  assert.equal(feet.shown(3000), 914.4);
  assert.equal(feet.stored(1000), 3280.8399);
  assert.deepEqual(new TypedUnit("kt").shown([100, "x"]), [185.2, "x"]);
  assert.equal(new TypedUnit("ft/min").name, "m/s");
});

test("a round number stays the number that was typed", () => {
  prefer({ units: "metric" });
  for (const unit of ["ft", "nm", "kt", "ft/min"]) {
    const measured = new TypedUnit(unit);
    for (const value of [1, 7, 10, 250, 1000, 12_000])
      assert.equal(measured.shown(measured.stored(value)), value, unit);
  }
});

test("what has no unit of the reader's choice stays as it is", () => {
  prefer({ units: "metric" });
  assert.equal(new TypedUnit("ft").stored("ground"), "ground");
  assert.deepEqual([new TypedUnit("°").name, new TypedUnit("°").shown(12)], ["°", 12]);
  assert.deepEqual([new TypedUnit(undefined).name, new TypedUnit(undefined).stored(3)], [undefined, 3]);
  prefer({ units: "aviation" });
  assert.deepEqual([new TypedUnit("ft").name, new TypedUnit("ft").stored(2999.5)], ["ft", 2999.5]);
});

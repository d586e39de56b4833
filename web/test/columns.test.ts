import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "lit";
import { moved } from "../src/list/column_order";
import { t } from "../src/i18n/i18n";
import { COLUMNS } from "../src/list/columns";

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

test("an aircraft that one feeder alone has heard has a quiet mark, and no other has", () => {
  const { cell } = COLUMNS.find(({ key }) => key === "flight")!;
  const marks = [true, null].map((single_source) => {
    const row = document.createElement("div");
    render(cell({ hex: "4b1620", flags: 0, single_source }), row);
    return row.querySelector(".unconfirmed")?.getAttribute("aria-label");
  });
  assert.deepEqual(marks, [t("aircraft.single_source"), undefined]);
});

test("an emergency that one feeder alone has heard is shown and does not alarm", () => {
  const { cell } = COLUMNS.find(({ key }) => key === "flight")!;
  const shown = [true, null].map((single_source) => {
    const row = document.createElement("div");
    render(cell({ hex: "4b1620", flags: 4, squawk: "7700", single_source }), row);
    const tag = row.querySelector(".tag")!;
    return [tag.textContent, tag.classList.contains("danger")];
  });
  assert.deepEqual(shown, [
    ["7700", false],
    ["7700", true],
  ]);
});

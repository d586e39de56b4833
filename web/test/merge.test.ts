import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsOf } from "../merge.mjs";

const script = (
  imports: string[],
  entryPoint?: string,
): { entryPoint?: string; imports: { path: string; kind: string }[] } => ({
  entryPoint,
  imports: imports.map((path) => ({ path, kind: "import-statement" })),
});
const OUTPUTS = {
  "boot.js": {
    ...script(["shared.js"], "src/boot.ts"),
    imports: [
      { path: "shared.js", kind: "import-statement" },
      { path: "map.js", kind: "dynamic-import" },
    ],
  },
  "map.js": script(["shared.js", "maths.js"], "src/map.ts"),
  "shared.js": script([]),
  "maths.js": script([]),
  "page.js": script(["maths.js"], "src/page.ts"),
};

test("a group has what its entries need first, and nothing that a group before it has", () => {
  const groups = groupsOf(OUTPUTS, { boot: ["src/boot.ts"], map: ["src/map.ts"] });
  assert.deepEqual(
    groups.map(({ members }) => members),
    [
      ["boot.js", "shared.js"],
      ["map.js", "maths.js"],
    ],
  );
});

test("an entry that is not there is named", () => {
  assert.throws(() => groupsOf(OUTPUTS, { boot: ["src/gone.ts"] }), /no script begins with src\/gone\.ts/);
});

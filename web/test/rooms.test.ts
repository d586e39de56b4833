import assert from "node:assert/strict";
import { readFileSync, readdirSync, existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { ROOMS } from "../rooms.mjs";

const SOURCES = join(process.cwd(), "src");
const MAX_FILES = 12;
const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** Module -> the modules of the sources that it imports, types and late imports among them. */
function graph(): Map<string, string[]> {
  const target = (from: string, name: string): string => relative(SOURCES, join(SOURCES, dirname(from), `${name}.ts`));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(SOURCES, file), "utf8");
      const imported = [...text.matchAll(IMPORT)].map(([, name]) => target(file, name));
      return [file, imported.filter((one) => existsSync(join(SOURCES, one)))];
    }),
  );
}

const imports = graph();

/** The room of a module and its height; what stands outside the rooms is above them all. */
function floorOf(file: string): { room: string; height: number } {
  const [first, second] = file.split("/");
  const height = ROOMS.indexOf(first);
  return { room: first === "features" ? `features/${second}` : first, height: height < 0 ? ROOMS.length : height };
}

test("the graph is read", () => {
  assert.ok(files.length > 80);
  assert.ok([...imports.values()].flat().length > 300);
  assert.deepEqual(
    files.filter((file) => file.includes("/") && floorOf(file).height === ROOMS.length),
    [],
    "folders that are no room",
  );
});

test("imports go down only, and features do not import each other", () => {
  const wrong = [...imports].flatMap(([file, targets]) =>
    targets
      .filter(
        (target) =>
          file.includes("/") &&
          floorOf(target).room !== floorOf(file).room &&
          floorOf(target).height >= floorOf(file).height,
      )
      .map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("no modules import each other in a circle", () => {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    const circle =
      imports
        .get(file)!
        .map((target) => visit(target, [...path, file]))
        .find((one) => one.length) ?? [];
    done.add(file);
    return circle;
  };
  assert.deepEqual(files.map((file) => visit(file, [])).find((circle) => circle.length) ?? [], []);
});

test("no folder holds more than a dozen files", () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > MAX_FILES),
    [],
  );
});

import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveLayer } from "../src/map/ground/archive";
import { TilesError } from "../src/map/ground/tiles_error";

/** The head of a PMTiles archive (version 3) whose tiles are of a kind. */
function archive(kind: number): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(16_384));
  [..."PMTiles\x03"].forEach((letter, at) => view.setUint8(at, letter.charCodeAt(0)));
  view.setBigUint64(8, 127n, true); // The root directory, of no entries.
  view.setBigUint64(16, 1n, true);
  view.setUint8(97, 1); // Uncompressed directories.
  view.setUint8(98, 1);
  view.setUint8(99, kind);
  return view.buffer;
}

test("an archive of unknown tiles is refused with a reason that the page shows", async (context) => {
  context.mock.method(globalThis, "fetch", () => Promise.resolve(new Response(archive(9), { status: 206 })));
  await assert.rejects(
    archiveLayer("https://tiles.example/unknown.pmtiles"),
    (error) => error instanceof TilesError && error.text === "map.tiles_unknown",
  );
});

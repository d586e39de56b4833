import assert from "node:assert/strict";
import { test } from "node:test";
import type OlMap from "ol/Map";
import type BaseLayer from "ol/layer/Base";
import { PageLayers, type PageLayer } from "../src/map/page_layers";

interface Made {
  layers: PageLayers;
  shown: Set<string>;
}

/** A map of which only the layers count, by their names. */
function made(): Made {
  const shown = new Set<string>();
  const map = {
    addLayer: (layer: unknown) => shown.add(String(layer)),
    removeLayer: (layer: unknown) => shown.delete(String(layer)),
  };
  return { layers: new PageLayers(map as unknown as OlMap), shown };
}

const layer = (page: string, name: string): PageLayer => ({
  page,
  load: () => Promise.resolve(name as unknown as BaseLayer),
});

test("a layer is on the map while its page is open", async () => {
  const { layers, shown } = made();
  const all = [layer("photos", "places"), layer("tides", "coasts")];
  await layers.follow("photos", all);
  assert.deepEqual([...shown], ["places"]);
  await layers.follow("tides", all);
  assert.deepEqual([...shown], ["coasts"]);
  await layers.follow("map", all);
  assert.deepEqual([...shown], []);
});

test("a layer that comes after its page was left is not shown", async () => {
  const { layers, shown } = made();
  const all = [layer("photos", "places")];
  const first = layers.follow("photos", all);
  const second = layers.follow("map", all);
  await Promise.all([first, second]);
  assert.deepEqual([...shown], []);
});

test("a layer that cannot be fetched leaves the others", async () => {
  const { layers, shown } = made();
  const broken: PageLayer = { page: "photos", load: () => Promise.reject(new Error("away")) };
  const warn = console.warn;
  console.warn = () => undefined;
  await layers.follow("photos", [broken, layer("photos", "places")]);
  console.warn = warn;
  assert.deepEqual([...shown], ["places"]);
});

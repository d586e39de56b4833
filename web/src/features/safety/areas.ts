// Regions where the navigation signals of several aircraft are disturbed, as a layer of the map.
import GeoJSON from "ol/format/GeoJSON";
import VectorLayer from "ol/layer/Vector";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style } from "ol/style";
import { Cell } from "../../core/cell";
import type { OverlayLayer } from "../../map/overlays/overlay";
import { call } from "../../session/api";

const source = new VectorSource();

/** How many regions there are. */
export const areas = new Cell<number>(0);

const look = {
  source,
  zIndex: 3,
  style: new Style({
    fill: new Fill({ color: "rgb(214 72 60 / 0.22)" }),
    stroke: new Stroke({ color: "rgb(214 72 60)", width: 1.5, lineDash: [6, 4] }),
  }),
};

/** While the page of safety is open. */
export const layer = new VectorLayer(look);

/** While the reader has it switched on, whichever page is open. */
const overlay = new VectorLayer(look);
const EVERY_MS = 30_000;

export function areasOverlay(): OverlayLayer {
  let timer: ReturnType<typeof setInterval> | undefined;
  const read = (): void => {
    if (document.hidden) return;
    readAreas().catch((error: unknown) => console.warn("The areas of disturbed navigation cannot be fetched:", error));
  };
  return {
    layer: overlay,
    start: () => {
      read();
      timer = setInterval(read, EVERY_MS);
    },
    stop: () => clearInterval(timer),
  };
}

export async function readAreas(): Promise<void> {
  const { features = [] } = await call("GET safety/areas");
  source.clear();
  source.addFeatures(
    new GeoJSON().readFeatures({ type: "FeatureCollection", features }, { featureProjection: "EPSG:3857" }),
  );
  areas.set(features.length);
}

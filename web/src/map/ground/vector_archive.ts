// A PMTiles archive with vector tiles (MVT) as a layer of the map. This script is fetched when such an archive is chosen.
import VectorTileLayer from "ol/layer/VectorTile";
import type { PMTiles } from "pmtiles";
import { dark } from "../../core/preferences";
import { language } from "../../i18n/i18n";
import { basemapDrawing } from "./basemap_style";
import { vectorSource } from "./vector_source";

/** The layer of an archive, in the colours of the theme and with the names of the reader's language. */
export function vectorLayer(archive: PMTiles, minZoom: number, maxZoom: number): VectorTileLayer {
  const source = vectorSource(archive, minZoom, maxZoom);
  const layer = new VectorTileLayer({ source, zIndex: 1, declutter: true });
  const colour = (): void => layer.setStyle(basemapDrawing(dark.value, language.value));
  dark.subscribe(colour);
  language.subscribe(colour);
  colour();
  return layer;
}

// A PMTiles archive with vector tiles (MVT) as a layer of the map. This script is fetched when such an archive is chosen.
import MVT from "ol/format/MVT";
import VectorTileLayer from "ol/layer/VectorTile";
import type RenderFeature from "ol/render/Feature";
import VectorTileSource from "ol/source/VectorTile";
import TileState from "ol/TileState";
import type VectorTile from "ol/VectorTile";
import { createXYZ } from "ol/tilegrid";
import type { PMTiles } from "pmtiles";
import { dark } from "../../core/preferences";
import { language } from "../../i18n/i18n";
import { basemapDrawing } from "./basemap_style";

/** Beyond its last zoom the tiles of an archive are drawn larger. */
export function vectorLayer(archive: PMTiles, minZoom: number, maxZoom: number): VectorTileLayer {
  const format = new MVT();
  const source = new VectorTileSource<RenderFeature>({
    format,
    tileGrid: createXYZ({ minZoom, maxZoom, tileSize: 512 }),
    wrapX: true,
    tileUrlFunction: ([z, x, y]) => `${z}/${x}/${y}`,
    tileLoadFunction: (tile, address) => {
      const [z, x, y] = address.split("/").map(Number);
      (tile as VectorTile<RenderFeature>).setLoader((extent, _, projection) => {
        archive.getZxy(z, x, y).then(
          // What the archive does not have stays empty: the land below is seen.
          (range) =>
            (tile as VectorTile<RenderFeature>).setFeatures(
              range ? format.readFeatures(range.data, { extent, featureProjection: projection }) : [],
            ),
          (error: unknown) => {
            console.warn(`The tile ${address} of the base map cannot be read:`, error);
            tile.setState(TileState.ERROR);
          },
        );
      });
    },
  });
  const layer = new VectorTileLayer({ source, zIndex: 1, declutter: true });
  const colour = (): void => layer.setStyle(basemapDrawing(dark.value, language.value));
  dark.subscribe(colour);
  language.subscribe(colour);
  colour();
  return layer;
}

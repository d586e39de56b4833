// The vector tiles (MVT) of a PMTiles archive as a source of the map.
import MVT from "ol/format/MVT";
import type RenderFeature from "ol/render/Feature";
import VectorTileSource from "ol/source/VectorTile";
import TileState from "ol/TileState";
import type VectorTile from "ol/VectorTile";
import { createXYZ } from "ol/tilegrid";
import type { PMTiles } from "pmtiles";

/** Beyond its last zoom the tiles of an archive are drawn larger. */
export function vectorSource(archive: PMTiles, minZoom: number, maxZoom: number): VectorTileSource<RenderFeature> {
  const format = new MVT();
  return new VectorTileSource<RenderFeature>({
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
}

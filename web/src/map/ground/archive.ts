// Tiles of a PMTiles archive (`map_pmtiles`): one file at any web server, of which only the parts that are seen are fetched.
import type BaseLayer from "ol/layer/Base";
import TileLayer from "ol/layer/Tile";
import ImageTile from "ol/source/ImageTile";
import type TileSource from "ol/source/Tile";
import { Compression, PMTiles, TileType } from "pmtiles";
import { TilesError } from "./tiles_error";

const RASTER: Partial<Record<TileType, string>> = {
  [TileType.Png]: "image/png",
  [TileType.Jpeg]: "image/jpeg",
  [TileType.Webp]: "image/webp",
  [TileType.Avif]: "image/avif",
};

/** A layer, and what the archive says of its origin; raises TilesError for tiles that are neither pictures nor MVT. */
export async function archiveLayer(url: string): Promise<{ layer: BaseLayer; attribution: string }> {
  const archive = new PMTiles(url);
  const { tileType, tileCompression, minZoom, maxZoom } = await archive.getHeader();
  const type = RASTER[tileType];
  if (!type && tileType !== TileType.Mvt) throw new TilesError("map.tiles_unknown");
  if (
    tileCompression !== Compression.None &&
    tileCompression !== Compression.Unknown &&
    tileCompression !== Compression.Gzip
  )
    throw new Error("its compression is not supported");
  // Tiles are shown also where the metadata cannot be read.
  const metadata = (await archive.getMetadata().catch(() => null)) as { attribution?: unknown } | null;
  const attribution = typeof metadata?.attribution === "string" ? metadata.attribution : "";
  if (!type) {
    const { vectorLayer } = await import("./vector_archive");
    return { layer: vectorLayer(archive, minZoom, maxZoom), attribution };
  }
  const source = new ImageTile({
    minZoom,
    maxZoom,
    wrapX: true,
    loader: async (z, x, y) => {
      const tile = await archive.getZxy(z, x, y);
      // What the archive does not have stays empty: the land below is seen.
      return tile ? createImageBitmap(new Blob([tile.data], { type })) : document.createElement("canvas");
    },
  });
  return { layer: new TileLayer({ source: source as unknown as TileSource, zIndex: 1 }), attribution };
}

// Tiles of a PMTiles archive (`map_pmtiles`): one file at any web server, of which only the parts that are seen are fetched.
import ImageTile from "ol/source/ImageTile";
import { Compression, PMTiles, TileType } from "pmtiles";
import { TilesError } from "./tiles_error";

const RASTER: Partial<Record<TileType, string>> = {
  [TileType.Png]: "image/png",
  [TileType.Jpeg]: "image/jpeg",
  [TileType.Webp]: "image/webp",
  [TileType.Avif]: "image/avif",
};

/** The source of a layer, and what the archive says of its origin; raises TilesError where it holds vector tiles. */
export async function archiveSource(url: string): Promise<{ source: ImageTile; attribution: string }> {
  const archive = new PMTiles(url);
  const { tileType, tileCompression, minZoom, maxZoom } = await archive.getHeader();
  const type = RASTER[tileType];
  if (!type) throw new TilesError("map.tiles_vector");
  if (tileCompression !== Compression.None && tileCompression !== Compression.Unknown && tileCompression !== Compression.Gzip) throw new Error("its compression is not supported");
  // Tiles are shown also where the metadata cannot be read.
  const metadata = (await archive.getMetadata().catch(() => null)) as { attribution?: unknown } | null;
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
  return { source, attribution: typeof metadata?.attribution === "string" ? metadata.attribution : "" };
}

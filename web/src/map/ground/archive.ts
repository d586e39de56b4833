// Tiles of a PMTiles archive (`map_pmtiles`): one file at any web server, of which only the parts that are seen are fetched.
import type BaseLayer from "ol/layer/Base";
import TileLayer from "ol/layer/Tile";
import ImageTile from "ol/source/ImageTile";
import type TileSource from "ol/source/Tile";
import { Compression, PMTiles, TileType, type RangeResponse, type Source } from "pmtiles";
import { CREDENTIALS } from "../../core/kiosk";
import { session } from "../../session/session";
import { TilesError } from "./tiles_error";

const RASTER: Partial<Record<TileType, string>> = {
  [TileType.Png]: "image/png",
  [TileType.Jpeg]: "image/jpeg",
  [TileType.Webp]: "image/webp",
  [TileType.Avif]: "image/avif",
};

/** An archive of this service, which is read with the rights of whoever looks. */
class OwnSource implements Source {
  constructor(private readonly address: string) {}

  getKey(): string {
    return this.address;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal): Promise<RangeResponse> {
    const headers: Record<string, string> = { Range: `bytes=${offset}-${offset + length - 1}` };
    if (session.access) headers.Authorization = `Bearer ${session.access}`;
    const answer = await fetch(new URL(this.address, document.baseURI), { headers, credentials: CREDENTIALS, signal });
    if (answer.status !== 206) throw new Error(`the service answers ${answer.status}`);
    return { data: await answer.arrayBuffer(), etag: answer.headers.get("ETag") ?? undefined };
  }
}

/** A layer, and what the archive says of its origin; raises TilesError for tiles that are neither pictures nor MVT. */
export async function archiveLayer(url: string): Promise<{ layer: BaseLayer; attribution: string }> {
  const archive = new PMTiles(url.startsWith("http") ? url : new OwnSource(url));
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
  const source = rasterSource(archive, type, minZoom, maxZoom);
  return { layer: new TileLayer({ source, zIndex: 1 }), attribution };
}

/** The pictures of an archive. */
export function rasterSource(
  archive: PMTiles,
  type: string,
  minZoom: number,
  maxZoom: number,
  tileSize = 256,
  read: (picture: Blob) => Promise<ImageBitmap | HTMLCanvasElement> = createImageBitmap,
): TileSource {
  const source = new ImageTile({
    minZoom,
    maxZoom,
    wrapX: true,
    tileSize,
    loader: async (z, x, y) => {
      const tile = await archive.getZxy(z, x, y);
      // What the archive does not have stays empty: the land below is seen.
      return tile ? read(new Blob([tile.data], { type })) : document.createElement("canvas");
    },
  });
  return source as unknown as TileSource;
}

// The finer ground, where this installation has it: coast, water, borders and provinces in true shape, and the relief of
// the land. Both are archives of which only the tiles that are seen are fetched; this script is fetched with them.
import TileLayer from "ol/layer/Tile";
import VectorTileLayer from "ol/layer/VectorTile";
import { PMTiles } from "pmtiles";
import { rasterSource } from "./archive";
import { vectorSource } from "./vector_source";

const RELIEF_TYPE = "image/webp";
const RELIEF_PX = 512;
const GREY = 128;
/** What the packing of pictures adds to a plain. */
const NOISE = 2;

export async function fineLayer(address: string, from: number): Promise<VectorTileLayer> {
  const archive = new PMTiles(address);
  const { minZoom, maxZoom } = await archive.getHeader();
  return new VectorTileLayer({ source: vectorSource(archive, minZoom, maxZoom), minZoom: from });
}

export async function reliefLayer(address: string, to: number): Promise<TileLayer> {
  const archive = new PMTiles(address);
  const { minZoom, maxZoom } = await archive.getHeader();
  return new TileLayer({
    source: rasterSource(archive, RELIEF_TYPE, minZoom, maxZoom, RELIEF_PX, shaded),
    maxZoom: to,
  });
}

/** Light and shadow over whatever is below them: in the archive they are lighter and darker than its grey. */
async function shaded(picture: Blob): Promise<HTMLCanvasElement> {
  const bitmap = await createImageBitmap(picture);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  const context = canvas.getContext("2d")!;
  context.drawImage(bitmap, 0, 0);
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let at = 0; at < pixels.length; at += 1) {
    const off = (pixels[at] & 0xff) - GREY;
    const strength = Math.min(255, Math.max(0, Math.abs(off) - NOISE) * 4);
    pixels[at] = (off > 0 ? 0xffffff : 0) | (strength << 24);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

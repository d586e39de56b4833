// Real map tiles, where the installation names some: those of a map server (`map_tiles_url`) or of a PMTiles archive
// (`map_pmtiles`). The page says so in meta elements.
import TileLayer from "ol/layer/Tile";
import XYZ from "ol/source/XYZ";
import { preferences } from "../core/preferences";

const addressOf = (name: string): string | undefined => document.querySelector<HTMLMetaElement>(`meta[name="skywatch-${name}"]`)?.content;

export class Tiles {
  readonly layers: TileLayer[] = [];

  constructor() {
    if (!Tiles.areThere) return;
    const layer = new TileLayer({ zIndex: 1 });
    const follow = (): void => layer.setVisible(preferences.value.tiles);
    follow();
    preferences.subscribe(follow);
    this.layers.push(layer);
    const archive = addressOf("pmtiles");
    if (archive) void this.open(layer, archive);
    else layer.setSource(new XYZ({ url: addressOf("tiles"), crossOrigin: "anonymous" }));
  }

  private async open(layer: TileLayer, address: string): Promise<void> {
    try {
      const { archiveSource } = await import("./archive");
      layer.setSource(await archiveSource(address));
    } catch (error) {
      console.warn(`The map tiles of ${address} cannot be shown:`, error);
    }
  }

  static get areThere(): boolean {
    return addressOf("tiles") !== undefined || addressOf("pmtiles") !== undefined;
  }
}

// Tiles of a map server, where the installation names one (`map_tiles_url`); the page says so in a meta element.
import TileLayer from "ol/layer/Tile";
import XYZ from "ol/source/XYZ";
import { preferences } from "../core/preferences";

export class Tiles {
  readonly layers: TileLayer<XYZ>[] = [];

  constructor() {
    const url = document.querySelector<HTMLMetaElement>('meta[name="skywatch-tiles"]')?.content;
    if (!url) return;
    const layer = new TileLayer({ source: new XYZ({ url, crossOrigin: "anonymous" }), zIndex: 1 });
    const follow = (): void => layer.setVisible(preferences.value.tiles);
    follow();
    preferences.subscribe(follow);
    this.layers.push(layer);
  }

  static get areThere(): boolean {
    return document.querySelector('meta[name="skywatch-tiles"]') !== null;
  }
}

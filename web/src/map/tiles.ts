// Real map tiles, where the installation names some: those of a map server (`map_tiles_url`) or of a PMTiles archive
// (`map_pmtiles`). The page says so in meta elements.
import TileLayer from "ol/layer/Tile";
import XYZ from "ol/source/XYZ";
import { Cell } from "../core/cell";
import { preferences } from "../core/preferences";
import type { TextKey } from "../i18n/i18n";
import { TilesError } from "./tiles_error";

const addressOf = (name: string): string | undefined => document.querySelector<HTMLMetaElement>(`meta[name="skywatch-${name}"]`)?.content;

/** Where tiles are from, while they are shown: its name, and an address if there is one. */
export interface Attribution {
  text: string;
  address: string;
}

/** An https address at the end of the text becomes the link; markup, which archives bring, is taken out. */
export function attribution(text: string): Attribution {
  const plain = text.replace(/<[^<>]*>/g, " ").replace(/\s+/g, " ").trim();
  const at = plain.lastIndexOf(" ") + 1;
  const last = plain.slice(at);
  return /^https:\/\/[^\s"'<>]+$/.test(last) && at > 0 ? { text: plain.slice(0, at - 1), address: last } : { text: plain, address: "" };
}

export class Tiles {
  readonly layers: TileLayer[] = [];
  /** The source as the setting or the archive names it. */
  readonly source = new Cell(attribution(addressOf("attribution") ?? ""));

  /** Why the archive is not shown, where it is not. */
  readonly failure = new Cell<TextKey | null>(null);

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
      const { source, attribution: named } = await archiveSource(address);
      layer.setSource(source);
      if (!this.source.value.text) this.source.set(attribution(named));
    } catch (error) {
      this.failure.set(error instanceof TilesError ? error.text : "map.tiles_failed");
      console.warn(`The map tiles of ${address} cannot be shown:`, error);
    }
  }

  static get areThere(): boolean {
    return addressOf("tiles") !== undefined || addressOf("pmtiles") !== undefined;
  }
}

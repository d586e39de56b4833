// The layer of the chosen base map. Nothing is asked of a host before its map is chosen.
import type BaseLayer from "ol/layer/Base";
import LayerGroup from "ol/layer/Group";
import TileLayer from "ol/layer/Tile";
import XYZ from "ol/source/XYZ";
import { Cell } from "../../core/cell";
import { preferences } from "../../core/preferences";
import type { TextKey } from "../../i18n/i18n";
import { attribution, baseMaps, chosenBaseMap, type Attribution, type BaseMap } from "./base_maps";
import { TilesError } from "./tiles_error";

const NO_SOURCE: Attribution = { text: "", address: "" };

interface Opened {
  layer: BaseLayer;
  attribution: Attribution;
}

export class Tiles {
  readonly layers: LayerGroup[] = [];
  /** The source of the shown map, as the setting or the archive names it. */
  readonly source = new Cell<Attribution>(NO_SOURCE);
  /** Why the chosen map is not shown, where it is not. */
  readonly failure = new Cell<TextKey | null>(null);
  private readonly opened = new Map<BaseMap, Promise<Opened>>();
  private shown: BaseMap | null = null;

  constructor() {
    if (!baseMaps.length) return;
    this.layers.push(new LayerGroup());
    preferences.subscribe(() => void this.follow());
    void this.follow();
  }

  private async follow(): Promise<void> {
    const chosen = chosenBaseMap();
    if (chosen === this.shown) return;
    this.shown = chosen;
    this.show(null);
    this.failure.set(null);
    if (!chosen) return;
    try {
      const opened = await this.open(chosen);
      if (chosen === this.shown) this.show(opened);
    } catch (error) {
      this.opened.delete(chosen);
      console.warn(`The base map of ${chosen.address} cannot be shown:`, error);
      if (chosen === this.shown) this.failure.set(error instanceof TilesError ? error.text : "map.tiles_failed");
    }
  }

  private show(opened: Opened | null): void {
    const shown = this.layers[0].getLayers();
    shown.clear();
    if (opened) shown.push(opened.layer);
    this.source.set(opened?.attribution ?? NO_SOURCE);
  }

  private open(map: BaseMap): Promise<Opened> {
    let opened = this.opened.get(map);
    if (!opened) {
      opened =
        map.kind === "archive"
          ? openArchive(map)
          : Promise.resolve({
              layer: new TileLayer({ source: new XYZ({ url: map.address, crossOrigin: "anonymous" }), zIndex: 1 }),
              attribution: attribution(map.attribution),
            });
      this.opened.set(map, opened);
    }
    return opened;
  }
}

async function openArchive(map: BaseMap): Promise<Opened> {
  const { archiveLayer } = await import("./archive");
  const { layer, attribution: named } = await archiveLayer(map.address);
  return { layer, attribution: attribution(map.attribution || named) };
}

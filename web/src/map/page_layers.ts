// Layers of the map that belong to a page: shown while the page is open.
import type OlMap from "ol/Map";
import type BaseLayer from "ol/layer/Base";

export interface PageLayer {
  /** The name of the page. */
  page: string;
  load: () => Promise<BaseLayer>;
}

export class PageLayers {
  private page = "";
  private shown: BaseLayer[] = [];

  constructor(private readonly map: OlMap) {}

  /** Show those of the layers that are of this page, and no others. */
  async follow(page: string, layers: readonly PageLayer[]): Promise<void> {
    if (page === this.page) return;
    this.page = page;
    for (const layer of this.shown) this.map.removeLayer(layer);
    this.shown = [];
    for (const one of layers.filter((layer) => layer.page === page)) {
      try {
        const layer = await one.load();
        if (page !== this.page) return;
        this.map.addLayer(layer);
        this.shown.push(layer);
      } catch (error) {
        console.warn(`A layer of the page ${page} cannot be loaded:`, error);
      }
    }
  }
}

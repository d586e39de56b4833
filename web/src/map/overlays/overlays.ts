// Shows those layers that are switched on and offered.
import type OlMap from "ol/Map";
import { preferences } from "../../core/preferences";
import { offeredOverlays, type Overlay, type OverlayLayer } from "./overlay";
import "./built_in";

export class Overlays {
  private readonly shown = new Map<Overlay, OverlayLayer>();
  private readonly active = new Set<Overlay>();

  constructor(private readonly map: OlMap) {}

  follow(): void {
    const chosen = offeredOverlays().filter(({ name }) => preferences.value.overlays.includes(name));
    for (const overlay of [...this.active]) if (!chosen.includes(overlay)) this.hide(overlay);
    for (const overlay of chosen) if (!this.active.has(overlay)) void this.show(overlay);
  }

  private async show(overlay: Overlay): Promise<void> {
    this.active.add(overlay);
    try {
      const loaded = await overlay.load();
      if (!this.active.has(overlay)) return;
      this.shown.set(overlay, loaded);
      this.map.addLayer(loaded.layer);
      loaded.start?.(this.map);
    } catch (error) {
      this.active.delete(overlay); // Tried again with the next change of the settings.
      console.warn(`The layer ${overlay.name} cannot be shown:`, error);
    }
  }

  private hide(overlay: Overlay): void {
    this.active.delete(overlay);
    const loaded = this.shown.get(overlay);
    if (!loaded) return;
    this.shown.delete(overlay);
    loaded.stop?.();
    this.map.removeLayer(loaded.layer);
  }

  stop(): void {
    for (const overlay of [...this.active]) this.hide(overlay);
  }
}

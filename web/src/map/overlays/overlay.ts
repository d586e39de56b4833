// Layers of the map that the reader switches on and off: those of the map itself, and those of features.
import type BaseLayer from "ol/layer/Base";
import type OlMap from "ol/Map";
import { preferences, prefer } from "../../core/preferences";
import type { TextKey } from "../../i18n/i18n";

export interface Overlay {
  /** The name in the preferences. */
  name: string;
  title: TextKey;
  isOffered: () => boolean;
  load: () => Promise<OverlayLayer>;
}

/** A layer, and what it does while it is shown. */
export interface OverlayLayer {
  layer: BaseLayer;
  start?: (map: OlMap) => void;
  stop?: () => void;
}

/** All of them, in the order in which they are offered; features add theirs when they are registered. */
export const OVERLAYS: Overlay[] = [];

export function offeredOverlays(): Overlay[] {
  return OVERLAYS.filter(({ isOffered }) => isOffered());
}

export function toggleOverlay(name: string): void {
  const { overlays } = preferences.value;
  prefer({ overlays: overlays.includes(name) ? overlays.filter((one) => one !== name) : [...overlays, name] });
}

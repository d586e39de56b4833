// Single keys that work wherever the focus is, except in a field; who is disturbed by them switches them off in Settings
// (WCAG 2.1.4).
import { go, route } from "../../core/address";
import { prefer, preferences } from "../../core/preferences";
import type { TextKey } from "../../i18n/i18n";
import type { MapElement } from "../../map/map";
import { fitTracks, follow, selectNeighbour, toggleAlone } from "../../panel/steps";

export interface Shortcut {
  key: string;
  title: TextKey;
  run: () => void;
}

const map = (): MapElement | null => document.querySelector<MapElement>("sw-map");

function search(): void {
  const focus = (): void => document.querySelector<HTMLInputElement>("#search")?.focus();
  if (preferences.value.listOpen) return focus();
  prefer({ listOpen: true });
  requestAnimationFrame(focus); // A list that is hidden takes no focus.
}

export const SHORTCUTS: readonly Shortcut[] = [
  { key: "/", title: "search", run: search },
  { key: "+", title: "map.zoom_in", run: () => map()?.zoom(1) },
  { key: "-", title: "map.zoom_out", run: () => map()?.zoom(-1) },
  { key: "h", title: "map.home", run: () => map()?.home() },
  { key: "f", title: "panel.follow", run: follow },
  { key: "n", title: "panel.next", run: () => void selectNeighbour(1) },
  { key: "p", title: "panel.previous", run: () => void selectNeighbour(-1) },
  { key: "x", title: "panel.random", run: () => void selectNeighbour(0) },
  { key: "i", title: "panel.alone", run: toggleAlone },
  { key: "t", title: "panel.fit", run: fitTracks },
  { key: "l", title: "settings.labels", run: () => prefer({ labels: !preferences.value.labels }) },
  { key: "r", title: "settings.rings", run: () => prefer({ rings: !preferences.value.rings }) },
  { key: "b", title: "list.toggle", run: () => prefer({ listOpen: !preferences.value.listOpen }) },
  { key: "?", title: "settings.keyboard", run: () => go("settings") },
];

/** All keys but that of their list are for the page of the map and its list. */
function isForMap({ key }: Shortcut): boolean {
  return key !== "?";
}

export function runShortcut(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (
    !preferences.value.shortcuts ||
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.repeat
  )
    return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable) return;
  const shortcut = SHORTCUTS.find(({ key }) => key === event.key);
  if (!shortcut || (isForMap(shortcut) && route.value.page !== "map")) return;
  shortcut.run();
  event.preventDefault();
}

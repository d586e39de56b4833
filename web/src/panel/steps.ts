// From one aircraft to the next, and the selected ones alone on the map: for the buttons of the panel and for single keys.
import { note, route } from "../core/address";
import { addressOf } from "../core/selection";
import { t } from "../i18n/i18n";
import { live } from "../live/live";
import type { Step } from "../live/messages";
import type { MapElement } from "../map/map";
import { announce } from "../ui/announce";

const map = (): MapElement | null => document.querySelector<MapElement>("sw-map");

/** Select the next (1) or previous (-1) aircraft of the list, or any (0), and bring it into sight. */
export async function selectNeighbour(step: Step): Promise<void> {
  const aircraft = await live.neighbour(step);
  if (!aircraft || route.value.page !== "map") return;
  note(addressOf({ hex: aircraft.hex, also: [] }));
  announce(t("list.selected", { name: String(aircraft.flight || aircraft.hex).trim() }));
  // What the panel covers is known once it is laid out.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => live.selectedHex.value === aircraft.hex && map()?.show(aircraft)),
  );
}

/** Show the selected aircraft alone on the map, or among the others again. */
export function toggleAlone(): void {
  if (live.selectedHex.value) note({ only: live.isAlone.value ? null : "1" });
}

export function fitTracks(): void {
  if (live.selectedHex.value) map()?.fitTracks();
}

export function follow(): void {
  if (live.selectedHex.value) map()?.follow();
}

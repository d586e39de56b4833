// The base maps of this installation (`base_map.*`, `map_tiles_url`, `map_pmtiles`), which the page has in its head, and
// the one that the reader chose.
import { preferences } from "../../core/preferences";
import { t } from "../../i18n/i18n";

/** Where tiles are from, while they are shown: its name, and an address if there is one. */
export interface Attribution {
  text: string;
  address: string;
}

export interface BaseMap {
  /** Empty: that of `map_tiles_url` or `map_pmtiles`. */
  name: string;
  address: string;
  kind: "tiles" | "archive";
  attribution: string;
}

/** The choice of no base map: land and borders alone. */
export const NO_BASE_MAP = "-";

export const baseMaps: BaseMap[] = [
  ...document.querySelectorAll<HTMLMetaElement>('meta[name="skywatch-base-map"]'),
].map(({ content }) => JSON.parse(content) as BaseMap);

/** The first one where nothing was chosen, or where the chosen one is gone. */
export function chosenBaseMap(): BaseMap | null {
  const { baseMap } = preferences.value;
  if (baseMap === NO_BASE_MAP) return null;
  return baseMaps.find(({ name }) => name === baseMap) ?? baseMaps[0] ?? null;
}

/** What can be chosen: the value of the preference, and its title. */
export function baseMapChoices(): [string, string][] {
  return [
    ...baseMaps.map(({ name }) => [name, titleOf(name)] as [string, string]),
    [NO_BASE_MAP, t("map.no_base_map")],
  ];
}

function titleOf(name: string): string {
  return name === "" ? t("settings.tiles") : name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/** An https address at the end of the text becomes the link; markup, which archives bring, is taken out. */
export function attribution(text: string): Attribution {
  const plain = text
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const at = plain.lastIndexOf(" ") + 1;
  const last = plain.slice(at);
  return /^https:\/\/[^\s"'<>]+$/.test(last) && at > 0
    ? { text: plain.slice(0, at - 1), address: last }
    : { text: plain, address: "" };
}

// Airports and towns of the ground, found by what they are called.
import type Feature from "ol/Feature";
import type Point from "ol/geom/Point";
import { toLonLat } from "ol/proj";
import { folded } from "../../i18n/i18n";

export interface Place {
  kind: "airport" | "town";
  name: string;
  /** Of an airport, as people write it: the one of three letters where there is one. */
  code: string;
  lat: number;
  lon: number;
}

/** How well a name fits: the smaller, the better; null where it does not. */
function fit(text: string, name: string, codes: string[]): number | null {
  if (codes.includes(text)) return 0;
  if (name === text) return 1;
  if (name.startsWith(text)) return 2;
  if (new RegExp(`[^\\p{L}]${text.replace(/[^\p{L}\p{N}]/gu, ".")}`, "u").test(name)) return 3;
  return null;
}

/** Places whose code is the text, or in whose name a word begins with it; the best first, then the largest. */
export function placesNamed(text: string, features: Feature[]): Place[] {
  const wanted = folded(text.trim());
  const found = new Map<string, { place: Place; rank: number; size: number }>();
  for (const one of wanted.length < 3 ? [] : features) {
    const kind = one.get("kind") as string;
    if (kind !== "airport" && kind !== "town") continue;
    const { name = "", code = "", icao = "", population = 0 } = one.getProperties() as Record<string, never>;
    const rank = fit(
      wanted,
      folded(name),
      [code, icao].map((one) => folded(one)),
    );
    if (rank === null || found.has(`${kind} ${name}`)) continue;
    const [lon, lat] = toLonLat((one.getGeometry() as Point).getCoordinates());
    found.set(`${kind} ${name}`, { place: { kind, name, code: code || icao, lat, lon }, rank, size: population });
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank || b.size - a.size).map(({ place }) => place);
}

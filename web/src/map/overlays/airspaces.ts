// Airspaces of the installation's file as a layer.
import GeoJSON from "ol/format/GeoJSON";
import type { FeatureLike } from "ol/Feature";
import VectorLayer from "ol/layer/Vector";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style, Text } from "ol/style";
import { dark, preferences } from "../../core/preferences";
import { palette } from "../../core/palette";
import { ask } from "../../session/api";
import { noteFailure } from "./sources";
import { measure } from "../../ui/units";

/** From this resolution on (metres a pixel) airspaces have names. */
const NAMED_BELOW = 200;
/** Classes that are closed or dangerous (OpenAir: restricted, prohibited, danger). */
const CLOSED = new Set(["R", "P", "Q", "GP", "TRA", "TSA"]);
const source = new VectorSource();
export const layer = new VectorLayer({ source, zIndex: 1.6, declutter: true });
let stops: (() => void)[] = [];
let isRead = false;

function limits(feature: FeatureLike): string {
  const [floor, ceiling] = [feature.get("floor_ft"), feature.get("ceiling_ft")] as (number | null)[];
  if (floor === null && ceiling === null) return "";
  return `${floor === null ? "0" : measure("altitude", floor)} – ${ceiling === null ? "∞" : measure("altitude", ceiling)}`;
}

function style(): void {
  const shades = palette(dark.value);
  const look = (line: string, fill: string): Style =>
    new Style({
      stroke: new Stroke({ color: line, width: 1.2 }),
      fill: new Fill({ color: fill }),
      text: new Text({
        font: "10px B612, sans-serif",
        fill: new Fill({ color: shades.airport }),
        stroke: new Stroke({ color: shades.halo, width: 3 }),
      }),
    });
  const [open, closed] = [look(shades.airspace, shades.airspaceFill), look(shades.closed, shades.closedFill)];
  layer.setStyle((feature, resolution) => {
    const one = CLOSED.has(String(feature.get("class") ?? "")) ? closed : open;
    one.getText()!.setText(resolution < NAMED_BELOW ? `${String(feature.get("name"))}\n${limits(feature)}` : "");
    return one;
  });
}

async function read(): Promise<void> {
  const answer = await ask("GET aircraft/airspaces");
  source.addFeatures(new GeoJSON().readFeatures(await answer.json(), { featureProjection: "EPSG:3857" }));
}

export function start(): void {
  style();
  stops = [dark.subscribe(style), preferences.subscribe(style)];
  if (isRead) return;
  isRead = true;
  read().catch((error: unknown) => {
    isRead = false; // Tried again when it is switched on again.
    noteFailure("map.airspaces_failed", true);
    console.warn("The airspaces cannot be fetched:", error);
  });
}

export function stop(): void {
  noteFailure("map.airspaces_failed", false);
  for (const one of stops) one();
  stops = [];
}

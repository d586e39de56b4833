// The ruler as a layer: two clicks on the map, and the distance and the true bearings between them. A third click begins
// another line.
import Feature from "ol/Feature";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import type OlMap from "ol/Map";
import type MapBrowserEvent from "ol/MapBrowserEvent";
import { unByKey } from "ol/Observable";
import type { EventsKey } from "ol/events";
import { fromLonLat, toLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import { route } from "../../core/address";
import { bearingTo, destination, distanceNm } from "../../core/mercator";
import { palette } from "../../core/palette";
import { dark } from "../../core/preferences";
import { measure } from "../../ui/units";
import { measuring } from "../lent";

/** A great circle is drawn with so many corners. */
const CORNERS = 64;
const source = new VectorSource({ wrapX: true });
export const layer = new VectorLayer({ source, zIndex: 3 });
let keys: EventsKey[] = [];
let from: number[] | null = null;

/** Distance, and the bearings there and back. */
export function reading([lon1, lat1]: number[], [lon2, lat2]: number[]): string {
  const bearing = (degrees: number): string => `${String(Math.round(degrees) % 360).padStart(3, "0")}°`;
  const distance = measure("distance", distanceNm(lat1, lon1, lat2, lon2));
  return `${distance}\n${bearing(bearingTo(lat1, lon1, lat2, lon2))} / ${bearing(bearingTo(lat2, lon2, lat1, lon1))}`;
}

function draw(start: number[], end: number[]): void {
  const shades = palette(dark.value);
  const [[lon1, lat1], [lon2, lat2]] = [start, end];
  const [nm, bearing] = [distanceNm(lat1, lon1, lat2, lon2), bearingTo(lat1, lon1, lat2, lon2)];
  const points = Array.from({ length: CORNERS + 1 }, (_, at) => {
    const [lat, lon] = destination(lat1, lon1, bearing, (nm * at) / CORNERS);
    return fromLonLat([lon, lat]);
  });
  const line = new Feature(new LineString(points));
  line.setStyle(new Style({ stroke: new Stroke({ color: shades.accent, width: 1.6, lineDash: [6, 4] }) }));
  const ends = [points[0], points[CORNERS]].map((point) => {
    const mark = new Feature(new Point(point));
    mark.setStyle(new Style({ image: new Circle({ radius: 3.5, fill: new Fill({ color: shades.accent }) }) }));
    return mark;
  });
  const words = new Feature(new Point(points[CORNERS / 2]));
  words.setStyle(
    new Style({
      text: new Text({
        text: reading(start, end),
        font: "700 12px 'B612 Mono', monospace",
        fill: new Fill({ color: shades.text }),
        stroke: new Stroke({ color: shades.textHalo, width: 5 }),
        offsetY: -18,
      }),
    }),
  );
  source.clear(true);
  source.addFeatures(nm > 0 ? [line, ...ends, words] : ends);
}

function click({ coordinate }: MapBrowserEvent): void {
  if (route.value.page !== "map") return;
  const place = toLonLat(coordinate);
  draw(from ?? place, place);
  from = from ? null : place;
}

function move({ coordinate, dragging }: MapBrowserEvent): void {
  if (from && !dragging && route.value.page === "map") draw(from, toLonLat(coordinate));
}

export function start(map: OlMap): void {
  measuring.set(true);
  keys = [map.on("click", click), map.on("pointermove", move)];
}

export function stop(): void {
  measuring.set(false);
  unByKey(keys);
  source.clear(true);
  from = null;
}

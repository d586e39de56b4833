// The distances that a rule tests, as rings around the station while they are typed.
import Feature from "ol/Feature";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style, Text } from "ol/style";
import { destination } from "../../../core/mercator";
import { palette } from "../../../core/palette";
import { dark } from "../../../core/preferences";
import { live } from "../../../live/live";
import type { MapElement } from "../../../map/map";
import { measure } from "../../../ui/units";
import { childrenOf, fieldOf, isTest, type Node } from "./conditions";

const COLOUR = "#e2871b";
const CORNERS = 120;
const SETTLED_MS = 500;
/** The map is moved where the largest ring is smaller than that, or larger than the map. */
const LEAST_PX = 60;
const MOST_NM = 5000;

/** The distances in nautical miles that conditions name. */
export function distancesOf(node: Node): number[] {
  if (!isTest(node)) return [...new Set(childrenOf(node).flatMap(distancesOf))];
  const isDistance = fieldOf(node) === "distance_nm" && typeof node.value === "number";
  return isDistance && (node.value as number) > 0 && (node.value as number) < MOST_NM ? [node.value as number] : [];
}

export class DistanceRings {
  private readonly source = new VectorSource();
  private readonly layer = new VectorLayer({ source: this.source, zIndex: 4 });
  private map: MapElement | null = null;
  private shown = "";
  private settled: ReturnType<typeof setTimeout> | undefined;

  show(conditions: Node): void {
    const station = live.station.value;
    const map = document.querySelector<MapElement>("sw-map");
    if (!station || !map?.addLayer) return;
    const distances = distancesOf(conditions);
    if (this.map !== map) {
      this.map = map;
      map.addLayer(this.layer);
    } else if (distances.join() === this.shown) return;
    this.shown = distances.join();
    this.source.clear(true);
    for (const nm of distances) this.source.addFeatures(ring(station.lat, station.lon, nm));
    clearTimeout(this.settled);
    this.settled = setTimeout(() => this.bringIntoView(), SETTLED_MS);
  }

  end(): void {
    clearTimeout(this.settled);
    this.map?.removeLayer(this.layer);
    this.map = null;
  }

  private bringIntoView(): void {
    const extent = this.source.getExtent();
    const view = this.map?.map.getView();
    const size = this.map?.map.getSize();
    if (!extent || !view || !size || this.source.isEmpty()) return;
    const across = (extent[2] - extent[0]) / (view.getResolution() ?? 1);
    if (across > LEAST_PX && across < Math.min(...size)) return;
    this.map!.fit([extent.slice(0, 2), extent.slice(2)]);
  }
}

function ring(lat: number, lon: number, nm: number): Feature[] {
  const points = Array.from({ length: CORNERS + 1 }, (_, at) => {
    const [ringLat, ringLon] = destination(lat, lon, (at / CORNERS) * 360, nm);
    return fromLonLat([ringLon, ringLat]);
  });
  const line = new Feature(new LineString(points));
  line.setStyle(new Style({ stroke: new Stroke({ color: COLOUR, width: 2, lineDash: [7, 5] }) }));
  const name = new Feature(new Point(points[0]));
  const shades = palette(dark.value);
  name.setStyle(
    new Style({
      text: new Text({
        text: measure("distance", nm, Number.isInteger(nm) ? 0 : 1),
        font: "12px B612, sans-serif",
        fill: new Fill({ color: shades.text }),
        stroke: new Stroke({ color: shades.textHalo, width: 3 }),
      }),
    }),
  );
  return [line, name];
}

// The range outline as a layer: how far was heard in each direction within a day.
import Feature from "ol/Feature";
import Polygon from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Stroke, Style } from "ol/style";
import { dark } from "../../core/preferences";
import { palette } from "../../core/palette";
import { live } from "../../live/live";

const source = new VectorSource();
export const layer = new VectorLayer({ source, zIndex: 2 });
let stops: (() => void)[] = [];

function colour(): void {
  layer.setStyle(new Style({ stroke: new Stroke({ color: palette(dark.value).outline, width: 1.6 }) }));
}

function draw(points: [number, number][]): void {
  source.clear(true);
  if (points.length)
    source.addFeature(new Feature(new Polygon([[...points, points[0]].map((point) => fromLonLat(point))])));
}

export function start(): void {
  colour();
  draw(live.outline.value);
  stops = [dark.subscribe(colour), live.outline.subscribe(draw)];
}

export function stop(): void {
  for (const one of stops) one();
  stops = [];
}

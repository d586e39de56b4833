// Day and night as a layer: where the sun is below the horizon the map is darker.
import Feature from "ol/Feature";
import Polygon from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style } from "ol/style";
import { dark } from "../../core/preferences";
import { palette } from "../../core/palette";
import { live } from "../../live/live";
import { night } from "./sun";

/** The line moves a quarter of a degree in a minute. */
const EVERY_MS = 60_000;
const source = new VectorSource({ wrapX: true });
export const layer = new VectorLayer({ source, zIndex: 2 });
let timer: ReturnType<typeof setInterval> | undefined;
let stops: (() => void)[] = [];

function draw(): void {
  const at = live.isReplay.value ? new Date(live.now.value * 1000) : new Date();
  source.clear(true);
  source.addFeature(new Feature(new Polygon([night(at).map((place) => fromLonLat(place))])));
}

function colour(): void {
  const { night: color, nightEdge } = palette(dark.value);
  layer.setStyle(new Style({ fill: new Fill({ color }), stroke: new Stroke({ color: nightEdge, width: 1 }) }));
}

export function start(): void {
  draw();
  colour();
  timer = setInterval(draw, EVERY_MS);
  stops = [
    dark.subscribe(colour),
    live.isReplay.subscribe(draw),
    live.now.subscribe(() => live.isReplay.value && draw()),
  ];
}

export function stop(): void {
  clearInterval(timer);
  for (const one of stops) one();
  stops = [];
}

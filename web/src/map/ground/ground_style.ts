// How the ground is drawn: calm below the aircraft, by night as a dark chart, by day as paper.
import type { FeatureLike } from "ol/Feature";
import { getPointResolution } from "ol/proj";
import Point from "ol/geom/Point";
import type SimpleGeometry from "ol/geom/SimpleGeometry";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import { palette } from "../../core/palette";

type Styles = Style | Style[] | undefined;
export type Drawing = (feature: FeatureLike, resolution: number) => Styles;

/** From which zoom on a town of at least this size has its name; ground.mjs has them in cells of these zooms. */
const TOWNS: [zoom: number, population: number][] = [
  [3.4, 5_000_000],
  [4.4, 2_000_000],
  [5.2, 1_000_000],
  [6, 400_000],
  [6.9, 150_000],
  [7.8, 60_000],
  [8.6, 20_000],
  [9.4, 8_000],
  [10.2, 3_000],
  [11, 0],
];
const AIRPORT_CODES_FROM = 7.4;
const AIRPORT_NAMES_FROM = 8.95;
const SMALL_AIRPORTS_FROM = 10;
const SMALL_AIRPORT_NAMES_FROM = 11;
const RUNWAY_NUMBERS_FROM = 11.95;
/** From this population on: size and weight of the name, radius of the dot. */
const RANKS: [population: number, font: string, dot: number][] = [
  [1_000_000, "700 14px B612, sans-serif", 3],
  [100_000, "700 12px B612, sans-serif", 2.5],
  [20_000, "400 11.5px B612, sans-serif", 2],
  [0, "400 10px B612, sans-serif", 1.5],
];
/** Rivers of 1:50m are a mile off their beds: closer they would be in the wrong street. */
const RIVERS_TO = 12;
const METRES_A_FOOT = 0.3048;
const COUNTRY_PX = 90;

export const zoomAt = (resolution: number): number => Math.log2(156543.03 / resolution);

/** The smallest town that is named at a zoom; none at all far out. */
export function smallestTown(zoom: number): number {
  return TOWNS.findLast(([from]) => zoom >= from)?.[1] ?? Infinity;
}

/** What is drawn by its kind, a member of the feature. */
export function drawingOf(dark: boolean): Drawing {
  const shades = palette(dark);
  const line = (color: string, width: number, zIndex: number): Style =>
    new Style({ stroke: new Stroke({ color, width, lineCap: "round", lineJoin: "round" }), zIndex });
  const kinds: Record<string, Style> = {
    sea: new Style({
      fill: new Fill({ color: shades.sea }),
      stroke: new Stroke({ color: shades.sea, width: 1 }),
      zIndex: 0,
    }),
    land: new Style({ fill: new Fill({ color: shades.land }), zIndex: 1 }),
    lake: new Style({
      fill: new Fill({ color: shades.sea }),
      stroke: new Stroke({ color: shades.coast, width: 0.8 }),
      zIndex: 3,
    }),
    coast: line(shades.coast, 1, 4),
    border: line(shades.border, 1, 5),
    province: new Style({
      stroke: new Stroke({ color: shades.province, width: 0.8, lineDash: [4, 3], lineCap: "butt" }),
      zIndex: 4,
    }),
    landmass: new Style({
      fill: new Fill({ color: shades.land }),
      stroke: new Stroke({ color: shades.coast, width: 1 }),
      zIndex: 1,
    }),
    island: new Style({
      fill: new Fill({ color: shades.land }),
      stroke: new Stroke({ color: shades.coast, width: 0.8 }),
      zIndex: 4,
    }),
    country: new Style({
      fill: new Fill({ color: shades.land }),
      stroke: new Stroke({ color: shades.border, width: 1 }),
      zIndex: 1,
    }),
  };
  const river = line(shades.river, 1.1, 2);
  const drawings: Record<string, Drawing> = {
    river: (_, resolution) => (zoomAt(resolution) < RIVERS_TO ? river : undefined),
    runway: runwayDrawing(shades.runway, shades.land, shades.airport, shades.halo),
    town: townDrawing(shades.town, shades.halo),
    airport: airportDrawing(shades.airport, shades.land, shades.halo),
    name: nameDrawing(shades.label, shades.halo),
  };
  return (feature, resolution) => {
    const kind = String(feature.get("kind"));
    return kinds[kind] ?? drawings[kind]?.(feature, resolution);
  };
}

function words(font: string, color: string, halo: string, place: object = {}): Text {
  return new Text({ font, fill: new Fill({ color }), stroke: new Stroke({ color: halo, width: 3 }), ...place });
}

/** The larger a town, the larger its name; where two do not fit, the larger one stays. */
function townDrawing(color: string, halo: string): Drawing {
  const styles = RANKS.map(
    ([, font, radius]) =>
      new Style({
        image: new Circle({ radius, fill: new Fill({ color }), stroke: new Stroke({ color: halo, width: 1 }) }),
        text: words(font, color, halo, { textAlign: "left", offsetX: radius + 3 }),
      }),
  );
  return (feature, resolution) => {
    const population = Number(feature.get("population"));
    if (population < smallestTown(zoomAt(resolution))) return undefined;
    const style = styles[RANKS.findIndex(([least]) => population >= least)];
    style.setZIndex(10 + Math.log10(Math.max(1, population)));
    style.getText()!.setText(String(feature.get("name")));
    return style;
  };
}

/** As wide as it is, but never so narrow that it is not seen; close up with the numbers before its thresholds. */
function runwayDrawing(color: string, edge: string, text: string, halo: string): Drawing {
  const outer = new Style({ stroke: new Stroke({ color: edge, lineCap: "butt" }), zIndex: 6 });
  const inner = new Style({ stroke: new Stroke({ color, lineCap: "butt" }), zIndex: 7 });
  return (feature, resolution) => {
    const line = feature.getGeometry() as SimpleGeometry;
    const [x, y] = line.getFirstCoordinate() ?? [0, 0];
    const width = Math.max(
      1.6,
      (Number(feature.get("width")) * METRES_A_FOOT) / getPointResolution("EPSG:3857", resolution, [x, y]),
    );
    inner.getStroke()!.setWidth(width);
    outer.getStroke()!.setWidth(width + 2);
    if (zoomAt(resolution) < RUNWAY_NUMBERS_FROM) return [outer, inner];
    const ends = [[x, y], line.getLastCoordinate()!];
    const heading = Math.atan2(ends[1][0] - x, ends[1][1] - y);
    const numbers = (feature.get("numbers") as string[]).flatMap((number, at) =>
      number ? [thresholdNumber(number, ends[at], heading + at * Math.PI, text, halo)] : [],
    );
    return [outer, inner, ...numbers];
  };
}

/** A number as who lands there reads it, outside of the runway. */
function thresholdNumber(number: string, at: number[], rotation: number, color: string, halo: string): Style {
  const place = { rotation, textBaseline: "top", offsetY: 4 };
  return new Style({
    geometry: new Point(at),
    text: words("700 11px 'B612 Mono', monospace", color, halo, { ...place, text: number }),
    zIndex: 15,
  });
}

function airportDrawing(color: string, land: string, halo: string): Drawing {
  const image = new Circle({ radius: 2.4, fill: new Fill({ color: land }), stroke: new Stroke({ color, width: 1.3 }) });
  const plain = new Style({ image, zIndex: 9 });
  const named = new Style({ image, text: words("", color, halo, { offsetY: 6, textBaseline: "top" }), zIndex: 14 });
  return (feature, resolution) => {
    const zoom = zoomAt(resolution);
    const isSmall = feature.get("isSmall") === true;
    if (isSmall && zoom < SMALL_AIRPORTS_FROM) return undefined;
    if (zoom < AIRPORT_CODES_FROM) return plain;
    named.setZIndex(isSmall ? 11 : 14);
    const text = [String(feature.get("code")), "400 10px 'B612 Mono', monospace"];
    if (zoom >= (isSmall ? SMALL_AIRPORT_NAMES_FROM : AIRPORT_NAMES_FROM))
      text.push("\n", "", String(feature.get("name")), "400 10px B612, sans-serif");
    named.getText()!.setText(text);
    return named;
  };
}

/** The name of a country where it is wide enough on the screen. */
function nameDrawing(color: string, halo: string): Drawing {
  const style = new Style({ text: words("11px B612, sans-serif", color, halo), zIndex: 13 });
  return (feature, resolution) => {
    if (Number(feature.get("width")) / resolution < COUNTRY_PX) return undefined;
    style.getText()!.setText(String(feature.get("name")).toUpperCase());
    return style;
  };
}

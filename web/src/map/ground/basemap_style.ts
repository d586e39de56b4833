// How vector tiles are drawn, by night and by day: those of Protomaps' basemap (versions 3 and 4) and, as older archives
// have them, those of OpenMapTiles. What neither knows is not drawn. Aircraft stay the brightest thing on the map.
import type { FeatureLike } from "ol/Feature";
import { Fill, Stroke, Style, Text } from "ol/style";
import { palette } from "../../core/palette";
import { smallestTown, zoomAt, type Drawing } from "./ground_style";

/** What something is on the map, whatever its archive calls it. */
export type Kind =
  | "earth"
  | "water"
  | "stream"
  | "wood"
  | "grass"
  | "bare"
  | "ice"
  | "urban"
  | "aerodrome"
  | "runway"
  | "taxiway"
  | "motorway"
  | "road"
  | "street"
  | "path"
  | "rail"
  | "country"
  | "region"
  | "building"
  | "place";

const AREAS: Record<string, Kind> = {
  forest: "wood",
  wood: "wood",
  scrub: "grass",
  grass: "grass",
  grassland: "grass",
  meadow: "grass",
  farmland: "grass",
  park: "grass",
  nature_reserve: "grass",
  national_park: "grass",
  golf_course: "grass",
  cemetery: "grass",
  barren: "bare",
  sand: "bare",
  rock: "bare",
  beach: "bare",
  glacier: "ice",
  ice: "ice",
  urban_area: "urban",
  residential: "urban",
  industrial: "urban",
  commercial: "urban",
  aerodrome: "aerodrome",
  airfield: "aerodrome",
  runway: "runway",
  taxiway: "taxiway",
};
const ROADS: Record<string, Kind> = {
  highway: "motorway",
  motorway: "motorway",
  trunk: "motorway",
  major_road: "road",
  medium_road: "road",
  primary: "road",
  secondary: "road",
  tertiary: "street",
  minor_road: "street",
  minor: "street",
  service: "path",
  path: "path",
  track: "path",
  rail: "rail",
  transit: "rail",
  runway: "runway",
  taxiway: "taxiway",
};
/** From which zoom on what is drawn that would be too much before. */
const FROM: Partial<Record<Kind, number>> = {
  region: 4,
  road: 7,
  rail: 9,
  street: 11,
  path: 13,
  building: 13,
  taxiway: 11.5,
  stream: 7,
};
const ORDER: Kind[] = [
  "earth",
  "bare",
  "grass",
  "wood",
  "ice",
  "urban",
  "aerodrome",
  "water",
  "stream",
  "building",
  "taxiway",
  "runway",
  "rail",
  "path",
  "street",
  "road",
  "motorway",
  "region",
  "country",
];

const text = (feature: FeatureLike, ...names: string[]): string => {
  for (const name of names) {
    const value = feature.get(name) as unknown;
    if (typeof value === "string") return value;
  }
  return "";
};

/** What a feature of a vector tile is; null for what is not drawn. */
export function kindOf(feature: FeatureLike): Kind | null {
  const kind = text(feature, "kind", "pmap:kind", "class");
  const detail = text(feature, "kind_detail", "pmap:kind_detail", "aeroway");
  const isLine = feature.getGeometry()!.getType().endsWith("LineString");
  switch (text(feature, "layer")) {
    case "earth":
      return isLine ? null : "earth";
    case "water":
      return isLine ? "stream" : "water";
    case "waterway":
    case "physical_line":
      return "stream";
    case "landcover":
    case "landuse":
    case "natural":
    case "park":
      return AREAS[kind] ?? (text(feature, "layer") === "park" ? "grass" : null);
    case "roads":
    case "transit":
    case "transportation":
      return ROADS[kind === "aeroway" ? detail : kind] ?? ROADS[detail] ?? null;
    case "aeroway":
      return AREAS[kind] ?? null;
    case "boundaries":
    case "boundary":
      return boundaryOf(feature, kind);
    case "buildings":
    case "building":
      return "building";
    case "places":
    case "place":
      return "place";
    default:
      return null;
  }
}

function boundaryOf(feature: FeatureLike, kind: string): Kind | null {
  const level = Number(feature.get("admin_level") ?? feature.get("pmap:min_admin_level") ?? 0);
  if (kind === "country" || level === 2) return "country";
  return kind === "region" || level === 3 || level === 4 ? "region" : null;
}

/** The drawing of all layers, in the language of the reader where the archive has it. */
export function basemapDrawing(dark: boolean, language: string): Drawing {
  const shades = palette(dark);
  const tones = dark
    ? {
        wood: "#162a2c",
        grass: "#18272f",
        bare: "#20262e",
        ice: "#263546",
        urban: "#1d2739",
        aerodrome: "#1f2b40",
        building: "#202c3f",
        motorway: "#3d4d66",
        road: "#2e3c52",
        street: "#253245",
        rail: "#2b374a",
      }
    : {
        wood: "#dfe6cf",
        grass: "#e8ebd6",
        bare: "#ece5d3",
        ice: "#f3f7f9",
        urban: "#ece7da",
        aerodrome: "#e3deea",
        building: "#e2dac9",
        motorway: "#d9b98c",
        road: "#dccfb4",
        street: "#e6ddca",
        rail: "#cfc7b8",
      };
  const fill = (color: string): Style => new Style({ fill: new Fill({ color }) });
  const line = (color: string, width = 1, lineDash?: number[]): Style =>
    new Style({ stroke: new Stroke({ color, width, lineDash, lineCap: "butt", lineJoin: "round" }) });
  const styles: Record<Exclude<Kind, "place">, Style> = {
    earth: fill(shades.land),
    water: fill(shades.sea),
    stream: line(shades.river),
    wood: fill(tones.wood),
    grass: fill(tones.grass),
    bare: fill(tones.bare),
    ice: fill(tones.ice),
    urban: fill(tones.urban),
    aerodrome: fill(tones.aerodrome),
    building: fill(tones.building),
    runway: new Style({
      fill: new Fill({ color: shades.runway }),
      stroke: new Stroke({ color: shades.runway, width: 2.4 }),
    }),
    taxiway: line(tones.motorway, 1.2),
    motorway: line(tones.motorway, 1.6),
    road: line(tones.road, 1.2),
    street: line(tones.street),
    path: line(tones.street, 0.8, [3, 3]),
    rail: line(tones.rail, 1, [5, 3]),
    country: line(shades.border, 1.2),
    region: line(shades.border, 0.8, [4, 3]),
  };
  ORDER.forEach((kind, at) => styles[kind as keyof typeof styles].setZIndex(at));
  const place = placeDrawing(shades.town, shades.label, shades.halo, language);
  return (feature, resolution) => {
    const kind = kindOf(feature);
    if (!kind || zoomAt(resolution) < (FROM[kind] ?? 0)) return undefined;
    return kind === "place" ? place(feature, resolution) : styles[kind];
  };
}

/** What a place of an archive counts as where it does not say how many live there. */
const PEOPLE: Record<string, number> = { city: 300_000, town: 30_000, village: 3_000, hamlet: 500 };

function placeDrawing(town: string, country: string, halo: string, language: string): Drawing {
  const words = (size: number, color: string): Style =>
    new Style({
      text: new Text({
        font: `${size}px B612, sans-serif`,
        fill: new Fill({ color }),
        stroke: new Stroke({ color: halo, width: 3 }),
      }),
    });
  const [small, large, nation] = [words(10, town), words(12, town), words(11, country)];
  return (feature, resolution) => {
    const kind = text(feature, "kind_detail", "pmap:kind_detail", "pmap:kind", "kind", "class");
    const name = text(feature, `name:${language}`, `name_${language}`, "name:latin", "name");
    const zoom = zoomAt(resolution);
    if (!name) return undefined;
    if (kind === "country") {
      if (zoom > 7) return undefined;
      nation.setZIndex(40);
      nation.getText()!.setText(name.toUpperCase());
      return nation;
    }
    const people = Number(feature.get("population") ?? 0) || PEOPLE[kind] || 0;
    if (!people || people < smallestTown(zoom)) return undefined;
    const style = people >= 100_000 ? large : small;
    style.setZIndex(25 + Math.log10(people));
    style.getText()!.setText(name);
    return style;
  };
}

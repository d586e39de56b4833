// What lies below the aircraft without the internet: sea, land, borders, names of countries, airports.
import Feature from "ol/Feature";
import TopoJSON from "ol/format/TopoJSON";
import Point from "ol/geom/Point";
import type Geometry from "ol/geom/Geometry";
import type Polygon from "ol/geom/Polygon";
import type MultiPolygon from "ol/geom/MultiPolygon";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import airportsFile from "../../../generated/airports.airports";
import coarse from "../../../generated/countries-110m.topology";
import fine from "../../../generated/countries-10m.topology";
import medium from "../../../generated/countries-50m.topology";
import { palette } from "../../core/palette";

/** From this zoom on a level of detail is shown. */
const LEVELS = [
  { file: coarse, from: -1, to: 3.2 },
  { file: medium, from: 3.2, to: 6.6 },
  { file: fine, from: 6.6, to: 99 },
];
const AIRPORTS_FROM = 6.2;
const AIRPORT_NAMES_FROM = 7.4;
type AirportRow = [string, string, string, number, number];

export class Ground {
  readonly layers: VectorLayer[];
  private readonly land: VectorLayer[];
  private readonly airports: VectorLayer;
  private readonly fetched = new Set<string>();
  private dark = true;

  constructor() {
    this.land = LEVELS.map(({ from, to }, at) => {
      return new VectorLayer({
        source: new VectorSource({ wrapX: true }),
        minZoom: from,
        maxZoom: to,
        renderBuffer: 60,
        updateWhileAnimating: at === 0,
        declutter: "names",
      });
    });
    this.airports = new VectorLayer({
      source: new VectorSource({ wrapX: true }),
      minZoom: AIRPORTS_FROM,
      declutter: "names",
      renderBuffer: 40,
    });
    this.layers = [...this.land, this.airports];
    this.colour(true);
  }

  colour(dark: boolean): void {
    this.dark = dark;
    const shades = palette(dark);
    const fill = new Fill({ color: shades.land });
    const borders = new Stroke({ color: shades.border, width: 1 });
    const shape = new Style({ fill, stroke: borders });
    const name = new Style({
      geometry: (feature) => middle(feature.getGeometry() as Geometry),
      text: new Text({
        font: "11px B612, sans-serif",
        fill: new Fill({ color: shades.label }),
        stroke: new Stroke({ color: shades.halo, width: 3 }),
      }),
    });
    for (const layer of this.land) {
      layer.setStyle((feature, resolution) => {
        const label = String(feature.get("name") ?? "");
        const wide = (feature.getGeometry()?.getExtent() ?? [0, 0, 0, 0])[2] - (feature.getGeometry()?.getExtent() ?? [0])[0];
        if (!label || wide / resolution < 90) return shape;
        name.getText()!.setText(label.toUpperCase());
        return [shape, name];
      });
    }
    this.airports.setStyle(airportStyle(dark));
  }

  /** Fetch what this zoom shows and is not here yet. */
  async need(zoom: number): Promise<void> {
    const level = LEVELS.findIndex(({ from, to }) => zoom > from && zoom <= to);
    // The coarse world is small, and the first to be seen whatever the zoom.
    if (!this.fetched.has(coarse)) await this.load(0);
    if (level > 0) {
      const ready = this.load(level);
      if (!this.fetched.has(LEVELS[level].file)) this.standIn(level);
      await ready;
    }
    if (zoom >= AIRPORTS_FROM && this.airports.getVisible()) await this.loadAirports();
  }

  showAirports(visible: boolean): void {
    this.airports.setVisible(visible);
  }

  /** Until the finer level is here the coarse one is shown in its place. */
  private standIn(level: number): void {
    const source = this.land[level].getSource()!;
    if (source.isEmpty()) source.addFeatures(this.land[0].getSource()!.getFeatures().map((feature) => feature.clone()));
  }

  private async load(level: number): Promise<void> {
    const { file } = LEVELS[level];
    if (this.fetched.has(file)) return;
    this.fetched.add(file);
    try {
      const topology = (await (await fetch(new URL(file, import.meta.url))).json()) as object;
      const features = new TopoJSON({ layers: ["countries"] }).readFeatures(topology, {
        dataProjection: "EPSG:4326",
        featureProjection: "EPSG:3857",
      });
      const source = this.land[level].getSource()!;
      source.clear(true);
      source.addFeatures(features);
    } catch (error) {
      this.fetched.delete(file); // Tried again with the next movement of the map.
      console.warn("The map's land cannot be fetched:", error);
    }
  }

  private async loadAirports(): Promise<void> {
    if (this.fetched.has(airportsFile)) return;
    this.fetched.add(airportsFile);
    try {
      const rows = (await (await fetch(new URL(airportsFile, import.meta.url))).json()) as AirportRow[];
      const features = rows.map(([iata, icao, name, lat, lon]) => {
        return new Feature({ geometry: new Point(fromLonLat([lon, lat])), iata, icao, name });
      });
      this.airports.getSource()!.addFeatures(features);
    } catch (error) {
      this.fetched.delete(airportsFile);
      console.warn("The airports cannot be fetched:", error);
    }
  }

  get isDark(): boolean {
    return this.dark;
  }
}

/** A point inside a country: of its largest part. */
function middle(geometry: Geometry): Geometry {
  if (geometry.getType() === "Polygon") return (geometry as Polygon).getInteriorPoint();
  let best: Polygon | null = null;
  for (const part of (geometry as MultiPolygon).getPolygons()) if (!best || part.getArea() > best.getArea()) best = part;
  return best!.getInteriorPoint();
}

function airportStyle(dark: boolean): (feature: { get(name: string): unknown }, resolution: number) => Style {
  const shades = palette(dark);
  const mark = new Circle({ radius: 2.4, fill: new Fill({ color: shades.land }), stroke: new Stroke({ color: shades.airport, width: 1.3 }) });
  const plain = new Style({ image: mark });
  const named = new Style({
    image: mark,
    text: new Text({
      font: "10px 'B612 Mono', monospace",
      offsetY: 10,
      fill: new Fill({ color: shades.airport }),
      stroke: new Stroke({ color: shades.halo, width: 3 }),
    }),
  });
  return (feature, resolution) => {
    if (Math.log2(156543.03 / resolution) < AIRPORT_NAMES_FROM) return plain;
    named.getText()!.setText(String(feature.get("iata")));
    return named;
  };
}

// What lies below the aircraft without the internet: sea, land, lakes, rivers, borders, towns, airports, runways. The world
// comes in two details; closer to the ground it comes in cells, of which those that are seen are fetched.
import Feature from "ol/Feature";
import TopoJSON from "ol/format/TopoJSON";
import type Geometry from "ol/geom/Geometry";
import type MultiPolygon from "ol/geom/MultiPolygon";
import Point from "ol/geom/Point";
import type Polygon from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import { toLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import coarse from "../../../generated/countries-110m.topology";
import medium from "../../../generated/countries-50m.topology";
import { cellsIn, featuresOf, isThere, LOCAL, REGION, type Cell, type CellSize } from "./cells";
import { drawingOf, type Drawing } from "./ground_style";

const MEDIUM_FROM = 3.2;
const REGIONS_FROM = 6.6;
const LOCAL_FROM = 8.6;
/** Aircraft go first, but what is below them does not wait indefinitely where there are none. */
const MAX_WAIT_MS = 4000;
const KINDS: Record<string, string> = { countries: "country", lakes: "lake", rivers: "river", cities: "town" };

export class Ground {
  readonly layers: VectorLayer[];
  private readonly world = layer(-1);
  private readonly finer = layer(MEDIUM_FROM, REGIONS_FROM);
  private readonly regions = layer(REGIONS_FROM);
  private readonly local = layer(LOCAL_FROM);
  private readonly fetched = new Set<string>();
  private readonly aircraft: Promise<void>;
  private haveAircraft: () => void = () => undefined;
  private areAirportsShown = true;
  private drawing: Drawing = drawingOf(true);
  dark = true;

  constructor() {
    this.layers = [this.world, this.finer, this.regions, this.local];
    this.aircraft = new Promise((resolve) => (this.haveAircraft = resolve));
    this.colour(true);
  }

  colour(dark: boolean): void {
    this.dark = dark;
    this.drawing = drawingOf(dark);
    const style: Drawing = (feature, resolution) =>
      this.isHidden(String(feature.get("kind"))) ? undefined : this.drawing(feature, resolution);
    for (const one of this.layers) one.setStyle(style);
  }

  showAirports(visible: boolean): void {
    if (visible === this.areAirportsShown) return;
    this.areAirportsShown = visible;
    for (const one of [this.regions, this.local]) one.changed();
  }

  /** Aircraft are drawn: the line is free for what is finer. */
  begin(): void {
    this.haveAircraft();
  }

  /** Fetch what this view shows and is not here yet; `extent` is the one of the map. */
  async need(zoom: number, extent: number[]): Promise<void> {
    // The coarse world is small, and the first to be seen whatever the zoom.
    await this.load(coarse, this.world);
    await Promise.race([this.aircraft, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
    this.begin();
    const [west, south] = toLonLat(extent.slice(0, 2));
    const [, north] = toLonLat(extent.slice(2));
    // Across the 180th meridian the east has a smaller number than the west.
    const view = [west, south, west + ((extent[2] - extent[0]) / 40_075_016.7) * 360, north];
    const waiting: Promise<void>[] = [];
    if (zoom > MEDIUM_FROM && zoom <= REGIONS_FROM) waiting.push(this.load(medium, this.finer));
    if (zoom > REGIONS_FROM) waiting.push(...this.loadCells(REGION, view, this.regions));
    if (zoom > LOCAL_FROM) waiting.push(...this.loadCells(LOCAL, view, this.local));
    await Promise.all(waiting);
    // What is below a finer world is not worth drawing.
    if (this.fetched.has(medium) && !this.finer.getSource()!.isEmpty())
      this.world.setVisible(zoom <= MEDIUM_FROM || zoom > REGIONS_FROM);
  }

  private isHidden(kind: string): boolean {
    return !this.areAirportsShown && (kind === "airport" || kind === "runway");
  }

  private loadCells(size: CellSize, view: number[], into: VectorLayer): Promise<void>[] {
    const there = cellsIn(size, view).filter(([x, y]) => isThere(GROUND_CELLS[size.kind], size, x, y));
    return there.map(([x, y]) =>
      this.once(`./${GROUND_CELLS.folder}/${size.kind}-${x}-${y}.cell`, (cell) =>
        into.getSource()!.addFeatures(featuresOf(cell as Cell, size, x, y)),
      ),
    );
  }

  private load(file: string, into: VectorLayer): Promise<void> {
    return this.once(file, (topology) => {
      into
        .getSource()!
        .addFeatures(Object.entries(KINDS).flatMap(([object, kind]) => read(topology as object, object, kind)));
    });
  }

  private async once(file: string, take: (content: unknown) => void): Promise<void> {
    if (this.fetched.has(file)) return;
    this.fetched.add(file);
    try {
      const answer = await fetch(new URL(file, import.meta.url), { priority: "low" });
      if (!answer.ok) throw new Error(`${answer.url} is ${answer.status}`);
      take(await answer.json());
    } catch (error) {
      this.fetched.delete(file); // Tried again with the next movement of the map.
      console.warn("A part of the map's ground cannot be fetched:", error);
    }
  }
}

function layer(minZoom: number, maxZoom = 99): VectorLayer {
  return new VectorLayer({
    source: new VectorSource({ wrapX: true }),
    minZoom,
    maxZoom,
    renderBuffer: 60,
    updateWhileAnimating: minZoom < 0,
    declutter: "names",
  });
}

/** The features of one object of a topology, and the names of countries in the middle of their largest part. */
function read(topology: object, object: string, kind: string): Feature[] {
  const format = new TopoJSON({ layers: [object] });
  const features = format.readFeatures(topology, { dataProjection: "EPSG:4326", featureProjection: "EPSG:3857" });
  for (const one of features) one.set("kind", kind, true);
  return kind === "country" ? [...features, ...features.flatMap(nameOf)] : features;
}

function nameOf(country: Feature): Feature[] {
  const geometry = country.getGeometry();
  const name = country.get("name") as unknown;
  if (!geometry || !name) return [];
  const [west, , east] = geometry.getExtent();
  return [new Feature({ geometry: new Point(middle(geometry)), kind: "name", name, width: east - west })];
}

/** A point inside a country: of its largest part. */
function middle(geometry: Geometry): number[] {
  if (geometry.getType() === "Polygon") return (geometry as Polygon).getInteriorPoint().getCoordinates();
  let best: Polygon | null = null;
  for (const part of (geometry as MultiPolygon).getPolygons())
    if (!best || part.getArea() > best.getArea()) best = part;
  return best!.getInteriorPoint().getCoordinates();
}

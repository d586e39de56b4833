// What lies below the aircraft without the internet: sea, land, lakes, rivers, borders, towns, airports, runways. The world
// comes in two details; closer to the ground it comes in cells, of which those that are seen are fetched, or as the finer
// ground where this installation has it.
import Feature from "ol/Feature";
import TopoJSON from "ol/format/TopoJSON";
import type Geometry from "ol/geom/Geometry";
import type MultiPolygon from "ol/geom/MultiPolygon";
import Point from "ol/geom/Point";
import type Polygon from "ol/geom/Polygon";
import type BaseLayer from "ol/layer/Base";
import LayerGroup from "ol/layer/Group";
import VectorLayer from "ol/layer/Vector";
import { toLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import coarse from "../../../generated/countries-110m.topology";
import medium from "../../../generated/countries-50m.topology";
import { cellsIn, featuresOf, isThere, LOCAL, NAMES, REGION, type Cell, type CellSize } from "./cells";
import { drawingOf, type Drawing } from "./ground_style";
import { placesNamed, type Place } from "./places";

const meta = document.querySelector<HTMLMetaElement>('meta[name="skywatch-ground"]');
/** Addresses of the finer ground, where it was built. */
const archives = JSON.parse(meta?.content ?? "{}") as { ground?: string; relief?: string };

const MEDIUM_FROM = 3.2;
const FINE_FROM = 5.5;
/** The relief fades between these: closer it would be a blur. */
const RELIEF_FADES = [6.6, 7.5];
const RELIEF = { dark: 0.22, light: 0.3 };
const REGIONS_FROM = 6.6;
const LOCAL_FROM = 8.6;
/** Aircraft go first, and the finer ground before its cells, but nothing waits indefinitely where they do not come. */
const MAX_WAIT_MS = 4000;
const KINDS: Record<string, string> = { countries: "country", lakes: "lake", rivers: "river", cities: "town" };

export class Ground {
  readonly layers: BaseLayer[];
  private readonly world = layer(-1);
  private readonly finer = layer(MEDIUM_FROM);
  private readonly regions = layer(REGIONS_FROM);
  private readonly worldNames = layer(-1, REGIONS_FROM);
  private readonly names = layer(REGIONS_FROM);
  private readonly local = layer(LOCAL_FROM);
  private readonly fine = new LayerGroup();
  private readonly relief = new LayerGroup();
  /** Whether the finer ground takes the place of the regions; false too where it cannot be fetched. */
  private isFine = archives.ground !== undefined;
  /** What was fetched, by its address; a second request for it waits for the first. */
  private readonly fetched = new Map<string, Promise<void>>();
  private readonly aircraft: Promise<void>;
  private haveAircraft: () => void = () => undefined;
  private areAirportsShown = true;
  private drawing: Drawing = drawingOf(true);
  private zoom = 5;
  dark = true;

  constructor() {
    this.layers = [
      this.world,
      this.finer,
      this.regions,
      this.fine,
      this.relief,
      this.worldNames,
      this.names,
      this.local,
    ];
    this.aircraft = new Promise((resolve) => (this.haveAircraft = resolve));
    this.colour(true);
    this.follow();
  }

  /** Which zooms are those of what, with the finer ground and without. */
  private follow(): void {
    const from = this.isFine ? FINE_FROM : REGIONS_FROM;
    this.finer.setMaxZoom(from);
    this.names.setMinZoom(from);
  }

  colour(dark: boolean): void {
    this.dark = dark;
    this.drawing = drawingOf(dark);
    for (const one of [this.world, this.finer, this.regions, this.worldNames, this.names, this.local])
      one.setStyle(this.style);
    for (const one of this.fine.getLayers().getArray()) (one as VectorLayer).setStyle(this.drawing);
    this.fadeRelief();
  }

  showAirports(visible: boolean): void {
    if (visible === this.areAirportsShown) return;
    this.areAirportsShown = visible;
    for (const one of [this.names, this.local]) one.changed();
  }

  /** The airport within so many metres of the map of a place, where airports are shown. */
  airportAt(place: number[], radius: number, resolution: number): Feature | null {
    const [west, south, east, north] = [place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius];
    const near = [this.names, this.local]
      .filter((one) => one.isVisible())
      .flatMap((one) => one.getSource()!.getFeaturesInExtent([west, south, east, north]))
      .filter((one) => one.get("kind") === "airport" && this.style(one, resolution) !== undefined);
    return near[0] ?? null;
  }

  /** Airports and towns with this name or code: those of the cells that are here, and the largest cities of the world. */
  async find(text: string): Promise<Place[]> {
    await this.load(medium, this.finer);
    const named = [this.finer, this.regions, this.names, this.local];
    return placesNamed(
      text,
      named.flatMap((one) => one.getSource()!.getFeatures()),
    );
  }

  /** Aircraft are drawn: the line is free for what is finer. */
  begin(): void {
    this.haveAircraft();
  }

  /** Fetch what this view shows and is not here yet; `extent` is the one of the map. */
  async need(zoom: number, extent: number[]): Promise<void> {
    // The coarse world is small, and the first to be seen whatever the zoom.
    await this.load(coarse, this.world);
    await soon(this.aircraft);
    this.begin();
    const [west, south] = toLonLat(extent.slice(0, 2));
    const [, north] = toLonLat(extent.slice(2));
    // Across the 180th meridian the east has a smaller number than the west.
    const view = [west, south, west + ((extent[2] - extent[0]) / 40_075_016.7) * 360, north];
    const waiting: Promise<void>[] = [];
    if (zoom > FINE_FROM - 1 && this.isFine)
      await soon(this.once(archives.ground!, (address) => this.loadFine(address)));
    const cellsFrom = this.isFine ? FINE_FROM : REGIONS_FROM;
    if (zoom > MEDIUM_FROM && zoom <= cellsFrom) waiting.push(this.load(medium, this.finer));
    if (zoom < RELIEF_FADES[1] && archives.relief)
      waiting.push(this.once(archives.relief, (address) => this.loadRelief(address)));
    this.fadeRelief(zoom);
    if (zoom > REGIONS_FROM && !this.isFine) waiting.push(...this.loadCells(REGION, view, this.regions));
    if (zoom > cellsFrom) waiting.push(...this.loadCells(NAMES, view, this.names));
    if (zoom > LOCAL_FROM) waiting.push(...this.loadCells(LOCAL, view, this.local));
    await Promise.all(waiting);
    // What is below a finer world is not worth drawing.
    if (this.fetched.has(medium) && !this.finer.getSource()!.isEmpty())
      this.world.setVisible(zoom <= MEDIUM_FROM || zoom > cellsFrom);
  }

  private async loadFine(address: string): Promise<void> {
    try {
      const { fineLayer } = await import("./fine");
      const layer = await fineLayer(address, FINE_FROM);
      layer.setStyle(this.drawing);
      this.fine.getLayers().push(layer);
    } catch (error) {
      this.isFine = false;
      this.follow();
      console.warn("The finer ground cannot be fetched:", error);
    }
  }

  private async loadRelief(address: string): Promise<void> {
    try {
      const { reliefLayer } = await import("./fine");
      this.relief.getLayers().push(await reliefLayer(address, RELIEF_FADES[1]));
    } catch (error) {
      console.warn("The relief cannot be fetched:", error);
    }
  }

  /** The relief goes as the map comes closer. */
  private fadeRelief(zoom = this.zoom): void {
    this.zoom = zoom;
    const [from, to] = RELIEF_FADES;
    const share = Math.max(0, Math.min(1, (to - zoom) / (to - from)));
    this.relief.setOpacity(share * (this.dark ? RELIEF.dark : RELIEF.light));
  }

  /** Draws with the colours of the moment. */
  private readonly style: Drawing = (feature, resolution) =>
    this.isHidden(String(feature.get("kind"))) ? undefined : this.drawing(feature, resolution);

  private isHidden(kind: string): boolean {
    return !this.areAirportsShown && (kind === "airport" || kind === "runway");
  }

  private loadCells(size: CellSize, view: number[], into: VectorLayer): Promise<void>[] {
    const there = cellsIn(size, view).filter(([x, y]) => isThere(GROUND_CELLS[size.kind], size, x, y));
    return there.map(([x, y]) =>
      this.loadFile(`./${GROUND_CELLS.folder}/${size.kind}-${x}-${y}.cell`, (cell) =>
        into.getSource()!.addFeatures(featuresOf(cell as Cell, size, x, y)),
      ),
    );
  }

  /** The names of countries, which are those of the coarse world, lie above everything else. */
  private load(file: string, into: VectorLayer): Promise<void> {
    return this.loadFile(file, (topology) => {
      const features = Object.entries(KINDS).flatMap(([object, kind]) => read(topology as object, object, kind));
      into.getSource()!.addFeatures(features);
      if (file === coarse) this.worldNames.getSource()!.addFeatures(features.flatMap(nameOf));
    });
  }

  private loadFile(file: string, take: (content: unknown) => void): Promise<void> {
    return this.once(file, () => this.fetch(file, take));
  }

  private once(address: string, begin: (address: string) => Promise<void>): Promise<void> {
    const begun = this.fetched.get(address) ?? begin(address);
    this.fetched.set(address, begun);
    return begun;
  }

  private async fetch(file: string, take: (content: unknown) => void): Promise<void> {
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

function soon(awaited: Promise<void>): Promise<void> {
  return Promise.race([awaited, new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
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

/** The features of one object of a topology. */
function read(topology: object, object: string, kind: string): Feature[] {
  const format = new TopoJSON({ layers: [object] });
  const features = format.readFeatures(topology, { dataProjection: "EPSG:4326", featureProjection: "EPSG:3857" });
  for (const one of features) one.set("kind", kind, true);
  return features;
}

/** The name of a country, in the middle of its largest part. */
function nameOf(country: Feature): Feature[] {
  const geometry = country.getGeometry();
  const name = country.get("name") as unknown;
  if (!geometry || !name || country.get("kind") !== "country") return [];
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

// Geofences on the map: all of them as they are, and one that is drawn and changed by hand.
import Feature from "ol/Feature";
import MultiPoint from "ol/geom/MultiPoint";
import MultiPolygon from "ol/geom/MultiPolygon";
import Polygon from "ol/geom/Polygon";
import Draw from "ol/interaction/Draw";
import Modify from "ol/interaction/Modify";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat, toLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import { dark } from "../../../core/preferences";
import type { MapElement } from "../../../map/map";
import { HALF_WORLD, toLat } from "../../../core/mercator";
import { palette } from "../../../core/palette";
import { assemble, polygonsOf, type Place, type Ring } from "./fence_shape";
import type { Fence } from "../types";

const COLOUR = "#e2871b";

export class FenceMap {
  private readonly shown = new VectorSource();
  private readonly edited = new VectorSource();
  private readonly layers = [
    new VectorLayer({ source: this.shown, zIndex: 3, declutter: true }),
    new VectorLayer({ source: this.edited, zIndex: 4 }),
  ];
  private readonly modify = new Modify({ source: this.edited });
  private drawing: Draw | null = null;
  private element: MapElement | null = null;

  constructor(private readonly changed: (rings: Ring[]) => void) {
    this.modify.on("modifyend", () => this.changed(this.rings()));
  }

  begin(): void {
    this.element = document.querySelector<MapElement>("sw-map");
    for (const layer of this.layers) this.element?.addLayer(layer);
    this.element?.map.addInteraction(this.modify);
  }

  end(): void {
    this.stopDrawing();
    this.element?.map.removeInteraction(this.modify);
    for (const layer of this.layers) this.element?.removeLayer(layer);
    this.element = null;
  }

  show(fences: Fence[], without: number | null): void {
    this.shown.clear(true);
    const shades = palette(dark.value);
    for (const fence of fences) {
      if (fence.id === without) continue;
      const feature = new Feature(new MultiPolygon(projected(polygonsOf(fence.geometry))));
      feature.setStyle(
        new Style({
          fill: new Fill({ color: "rgb(226 135 27 / 0.10)" }),
          stroke: new Stroke({ color: COLOUR, width: 1.6 }),
          text: new Text({
            text: fence.name,
            font: "11px B612, sans-serif",
            overflow: true,
            fill: new Fill({ color: shades.text }),
            stroke: new Stroke({ color: shades.textHalo, width: 3 }),
          }),
        }),
      );
      this.shown.addFeature(feature);
    }
  }

  /** The rings that are drawn and moved by hand: one feature for each polygon. */
  edit(rings: Ring[]): void {
    this.edited.clear(true);
    const corner = new Style({
      image: new Circle({ radius: 4, fill: new Fill({ color: COLOUR }) }),
      geometry: (feature) => new MultiPoint((feature.getGeometry() as Polygon).getCoordinates().flat()),
    });
    const shape = new Style({
      fill: new Fill({ color: "rgb(226 135 27 / 0.20)" }),
      stroke: new Stroke({ color: COLOUR, width: 2.4 }),
    });
    for (const polygon of projected(assemble(rings.filter((ring) => ring.length > 2)))) {
      const feature = new Feature(new Polygon(polygon));
      feature.setStyle([shape, corner]);
      this.edited.addFeature(feature);
    }
  }

  private rings(): Ring[] {
    return this.edited
      .getFeatures()
      .flatMap((feature) => (feature.getGeometry() as Polygon).getCoordinates().map(ringOf));
  }

  get isDrawing(): boolean {
    return this.drawing !== null;
  }

  draw(done: () => void): void {
    this.stopDrawing();
    const drawing = new Draw({ source: new VectorSource(), type: "Polygon" });
    this.drawing = drawing;
    drawing.on("drawend", ({ feature }) => {
      const ring = ringOf((feature.getGeometry() as Polygon).getCoordinates()[0]);
      // OpenLayers still has this click in hand: the interaction goes when it is over.
      setTimeout(() => {
        this.stopDrawing();
        this.changed([...this.rings(), ring]);
        done();
      });
    });
    this.element?.map.addInteraction(drawing);
  }

  stopDrawing(): void {
    if (this.drawing) this.element?.map.removeInteraction(this.drawing);
    this.drawing = null;
  }

  /** The place in the middle of what is seen. */
  get middle(): Place {
    const [lon, lat] = toLonLat(this.element?.map.getView().getCenter() ?? [0, 0]);
    return [lon, lat];
  }

  fit(rings: Ring[]): void {
    const points = rings.flat().map((place) => fromLonLat(place));
    if (points.length) this.element?.fit(points);
  }
}

function projected(polygons: Ring[][]): number[][][][] {
  return polygons.map((rings) => rings.map((ring) => [...ring, ring[0]].map((place) => fromLonLat(place))));
}

function ringOf(coordinates: number[][]): Ring {
  // Beyond the date line OpenLayers goes on counting, and so do the rings.
  return coordinates.slice(0, -1).map(([x, y]) => [(x / HALF_WORLD) * 180, toLat(y)] as Place);
}

// The map of coverage: how far the receiver hears now and has heard in 30 days, around its place.
import OlFeature from "ol/Feature";
import MultiPolygon from "ol/geom/MultiPolygon";
import Polygon from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style } from "ol/style";
import { destination } from "../../core/mercator";
import { SECTOR_DEG } from "../../core/polar";
import { live } from "../../live/live";
import { wantedView } from "../../map/lent";
import { coverage, feederPlace } from "./covered";
import type { Coverage, Quality } from "./series";

const ARC_DEG = 2;
/** The map ends here. */
const MERCATOR_DEG = 85;
type Range = "now_nm" | "p50_30d_nm" | "max_30d_nm";
/** The widest first: the range now lies on top. */
const OUTLINES: [range: Range, stroke: string, fill: string, dash: number[]][] = [
  ["max_30d_nm", "rgba(120, 130, 150, 0.9)", "rgba(120, 130, 150, 0.06)", [3, 5]],
  ["p50_30d_nm", "rgba(220, 130, 20, 0.95)", "rgba(220, 130, 20, 0.05)", [9, 5]],
  ["now_nm", "rgba(20, 120, 220, 1)", "rgba(20, 120, 220, 0.14)", []],
];

/** The corners of a range on the map (degrees, longitude first): arcs around the place. */
export function ring(
  { lat, lon }: { lat: number; lon: number },
  sectors: Quality["range"],
  range: Range,
): [number, number][] {
  return sectors.flatMap((sector) =>
    Array.from({ length: SECTOR_DEG / ARC_DEG + 1 }, (_, step): [number, number] => {
      const [atLat, atLon] = destination(lat, lon, sector.bearing + step * ARC_DEG, sector[range] ?? 0);
      return [atLon, atLat];
    }),
  );
}

/** The cells that a range covers as squares on the map: those of 30 days, and the ones now on top. */
function squares({ cells, cell_deg }: Coverage): OlFeature[] {
  return [false, true].map((isNow) => {
    const chosen = cells.filter(({ now }) => now || !isNow);
    const feature = new OlFeature(
      new MultiPolygon(chosen.map(({ lat, lon }) => [corners(lat, lon, cell_deg).map((corner) => fromLonLat(corner))])),
    );
    const [, stroke, fill, lineDash] = OUTLINES[isNow ? 2 : 0];
    feature.setStyle(
      new Style({ fill: new Fill({ color: fill }), stroke: new Stroke({ color: stroke, width: 0.8, lineDash }) }),
    );
    return feature;
  });
}

/** The corners of a cell (degrees, longitude first), closed. */
function corners(lat: number, lon: number, size: number): [number, number][] {
  const [south, north] = [Math.max(lat, -MERCATOR_DEG), Math.min(lat + size, MERCATOR_DEG)];
  return [
    [lon, south],
    [lon + size, south],
    [lon + size, north],
    [lon, north],
    [lon, south],
  ];
}

export function coverageLayer(): VectorLayer {
  const source = new VectorSource();
  let shown = "";
  const draw = (): void => {
    source.clear();
    const covered = coverage.value;
    if (covered && "grid" in covered) {
      source.addFeatures(squares(covered.grid));
      const name = JSON.stringify(covered.source);
      const { cells, cell_deg } = covered.grid;
      if (cells.length && name !== shown)
        wantedView.set(
          cells.flatMap(({ lat, lon }) => corners(lat, lon, cell_deg).map((corner) => fromLonLat(corner))),
        );
      shown = name;
      return;
    }
    const place =
      covered && "feeder" in covered.source ? (feederPlace.value ?? live.station.value) : live.station.value;
    if (!covered || !place) return;
    for (const [range, stroke, fill, lineDash] of OUTLINES) {
      const corners = ring(place, covered.sectors, range).map((corner) => fromLonLat(corner));
      const feature = new OlFeature(new Polygon([[...corners, corners[0]]]));
      feature.setStyle(
        new Style({ fill: new Fill({ color: fill }), stroke: new Stroke({ color: stroke, width: 1.8, lineDash }) }),
      );
      source.addFeature(feature);
      // Feeders may stand anywhere: the map goes to where the chosen one is.
      const name = JSON.stringify(covered.source);
      if ("feeder" in covered.source && feederPlace.value && name !== shown) wantedView.set(corners);
      shown = name;
    }
  };
  for (const cell of [coverage, feederPlace, live.station]) cell.subscribe(draw);
  return new VectorLayer({ source, zIndex: 3 });
}

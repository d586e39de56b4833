// How far was heard: an outline in sectors for each band of altitude, within the radio horizon, as the service has it.
import Feature from "ol/Feature";
import Polygon from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style } from "ol/style";
import { destination } from "../../core/mercator";
import { dark } from "../../core/preferences";
import type { Schemas } from "../../session/operations";
import { altitudeColour, css, type Colour } from "../../core/ramp";

export type Sector = Schemas["CoverageSector"];

export interface Band {
  min_altitude_ft: number;
  max_altitude_ft: number | null;
  farthest_nm: number;
}

const ARC_DEG = 2;

/** The outline of a band around the station (degrees, longitude first): an arc for each sector, at its farthest position; in a sector without one it goes back to the station. */
export function outlineOf(sectors: Sector[], band: Band, { lat, lon }: { lat: number; lon: number }): number[][] {
  return sectors.flatMap(({ bearing_from, bearing_to, bands }) => {
    const nm = bands.find((one) => one.min_altitude_ft === band.min_altitude_ft)?.max_distance_nm ?? 0;
    return Array.from({ length: (bearing_to - bearing_from) / ARC_DEG + 1 }, (_, step) => {
      const [atLat, atLon] = destination(lat, lon, bearing_from + step * ARC_DEG, nm);
      return [atLon, atLat];
    });
  });
}

/** The bands in which anything was heard, the lowest first. */
export function bandsOf(sectors: Sector[]): Band[] {
  const bands = new Map<number, Band>();
  for (const { min_altitude_ft, max_altitude_ft, max_distance_nm } of sectors.flatMap((sector) => sector.bands)) {
    if (max_distance_nm === null) continue;
    const farthest_nm = Math.max(max_distance_nm, bands.get(min_altitude_ft)?.farthest_nm ?? 0);
    bands.set(min_altitude_ft, { min_altitude_ft, max_altitude_ft, farthest_nm });
  }
  return [...bands.values()].sort((a, b) => a.min_altitude_ft - b.min_altitude_ft);
}

export function bandColour({ min_altitude_ft }: Band, isDark: boolean): Colour {
  return altitudeColour(min_altitude_ft + 2500, false, isDark);
}

export function coverageLayer(sectors: Sector[], station: { lat: number; lon: number }): VectorLayer {
  const features = bandsOf(sectors)
    .reverse()
    .map((band) => {
      const ring = outlineOf(sectors, band, station).map((corner) => fromLonLat(corner));
      const feature = new Feature(new Polygon([[...ring, ring[0]]]));
      const colour = bandColour(band, dark.value);
      feature.setStyle(
        new Style({
          fill: new Fill({ color: css(colour, 0.1) }),
          stroke: new Stroke({ color: css(colour), width: 1.6, lineJoin: "round" }),
        }),
      );
      return feature;
    });
  return new VectorLayer({ source: new VectorSource({ features }), zIndex: 3 });
}

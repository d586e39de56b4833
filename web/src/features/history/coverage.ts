// How far was heard: a smooth outline for each band of altitude.
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

const STEP_DEG = 2;

/** A closed curve through the values, `steps` points for each: it passes through all and swings beyond none of its neighbours. */
export function rounded(values: number[], steps: number): number[] {
  const count = values.length;
  const slopes = values.map((value, at) => {
    const [before, after] = [value - values.at(at - 1)!, values[(at + 1) % count] - value];
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after); // Fritsch and Butland, 1984.
  });
  return values.flatMap((value, at) => {
    const next = (at + 1) % count;
    return Array.from({ length: steps }, (_, step) => {
      const u = step / steps;
      const v = 1 - u;
      return (
        value * v * v * (1 + 2 * u) +
        values[next] * u * u * (3 - 2 * u) +
        slopes[at] * u * v * v -
        slopes[next] * u * u * v
      );
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
  const width = sectors[0].bearing_to - sectors[0].bearing_from;
  const features = bandsOf(sectors)
    .reverse()
    .map((band) => {
      const distances = sectors.map(
        (sector) => sector.bands.find((one) => one.min_altitude_ft === band.min_altitude_ft)?.max_distance_nm ?? 0,
      );
      const ring = rounded(distances, width / STEP_DEG).map((nm, at) => {
        const [lat, lon] = destination(
          station.lat,
          station.lon,
          sectors[0].bearing_from + width / 2 + at * STEP_DEG,
          nm,
        );
        return fromLonLat([lon, lat]);
      });
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

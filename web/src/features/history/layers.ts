// Layers of the map for where aircraft were and how far was heard.
import Feature from "ol/Feature";
import Polygon, { fromExtent } from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat, transformExtent } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style } from "ol/style";
import { dark } from "../../core/preferences";
import { destination } from "../../core/mercator";
import { palette } from "../../core/palette";
import { altitudeColour, css } from "../../core/ramp";

export interface Cell {
  lat: number;
  lon: number;
  aircraft_s: number;
}

export interface Sector {
  bearing_from: number;
  bearing_to: number;
  max_distance_nm: number | null;
  bands: { min_altitude_ft: number; max_altitude_ft: number | null; max_distance_nm: number | null }[];
}

const SHADES = 14;

/** Squares on a logarithmic scale: a busy airport must not hide the airways. */
export function heatLayer(cells: Cell[], size: number): VectorLayer {
  const most = Math.log1p(Math.max(1, ...cells.map((cell) => cell.aircraft_s)));
  const [low, middle, high] = palette(dark.value).heat;
  const styles = Array.from({ length: SHADES }, (_, at) => {
    const share = at / (SHADES - 1);
    const colour = share < 0.5 ? mix(low, middle, share * 2) : mix(middle, high, share * 2 - 1);
    return new Style({ fill: new Fill({ color: `rgb(${colour.join(" ")} / ${(0.28 + 0.55 * share).toFixed(2)})` }) });
  });
  const features = cells.map((cell) => {
    const half = size / 2;
    const box = [cell.lon - half, cell.lat - half, cell.lon + half, cell.lat + half];
    const feature = new Feature(fromExtent(transformExtent(box, "EPSG:4326", "EPSG:3857")));
    feature.setStyle(styles[Math.round((Math.log1p(cell.aircraft_s) / most) * (SHADES - 1))]);
    return feature;
  });
  return new VectorLayer({ source: new VectorSource({ features }), zIndex: 3, renderBuffer: 20 });
}

function mix(from: string, to: string, share: number): number[] {
  const parts = (text: string): number[] => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const [a, b] = [parts(from), parts(to)];
  return a.map((part, at) => Math.round(part + (b[at] - part) * share));
}

/** An outline for each band of altitude, the lowest on top. */
export function coverageLayer(sectors: Sector[], station: { lat: number; lon: number }): VectorLayer {
  const bands = [...new Set(sectors.flatMap((sector) => sector.bands.map((band) => band.min_altitude_ft)))].sort((a, b) => b - a);
  const features = bands.map((minimum) => {
    const ring = sectors.flatMap((sector) => {
      const nm = sector.bands.find((band) => band.min_altitude_ft === minimum)?.max_distance_nm ?? 0;
      const step = (sector.bearing_to - sector.bearing_from) / 5;
      return Array.from({ length: 6 }, (_, at) => {
        const [lat, lon] = destination(station.lat, station.lon, sector.bearing_from + at * step, nm);
        return fromLonLat([lon, lat]);
      });
    });
    const feature = new Feature(new Polygon([[...ring, ring[0]]]));
    const colour = altitudeColour(minimum + 2500, false, dark.value);
    feature.setStyle(new Style({ fill: new Fill({ color: css(colour, 0.1) }), stroke: new Stroke({ color: css(colour), width: 1.6 }) }));
    return feature;
  });
  return new VectorLayer({ source: new VectorSource({ features }), zIndex: 3 });
}

// The station and rings of distance around it.
import Feature from "ol/Feature";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import { fromAviation, toAviation, unit } from "../ui/units";
import type { Station } from "../live/messages";
import { destination } from "../core/mercator";
import { palette } from "../core/palette";

const RINGS = [25, 50, 100, 150, 200];
const CORNERS = 180;

export class Rings {
  readonly layer = new VectorLayer({ source: new VectorSource(), zIndex: 2 });

  show(station: Station | null, visible: boolean, dark: boolean): void {
    const source = this.layer.getSource()!;
    source.clear(true);
    if (!station) return;
    const shades = palette(dark);
    if (visible) for (const round of RINGS) source.addFeatures(ring(station, round, shades));
    const mark = new Feature(new Point(fromLonLat([station.lon, station.lat])));
    mark.setStyle([
      new Style({ image: new Circle({ radius: 6, stroke: new Stroke({ color: shades.ringText, width: 1.4 }) }) }),
      new Style({ image: new Circle({ radius: 1.8, fill: new Fill({ color: shades.ringText }) }) }),
    ]);
    source.addFeature(mark);
  }
}

/** A ring at a round number of the reader's unit, with its number at the top. */
function ring(station: Station, round: number, shades: ReturnType<typeof palette>): Feature[] {
  const factor = fromAviation("distance", 1) > 1.5 ? 2 : 1;
  const nm = toAviation("distance", round * factor);
  const points = Array.from({ length: CORNERS + 1 }, (_, at) => {
    const [lat, lon] = destination(station.lat, station.lon, (at / CORNERS) * 360, nm);
    return fromLonLat([lon, lat]);
  });
  const line = new Feature(new LineString(points));
  line.setStyle(new Style({ stroke: new Stroke({ color: shades.ring, width: 1 }) }));
  const name = new Feature(new Point(points[0]));
  name.setStyle(
    new Style({
      text: new Text({
        text: `${round * factor} ${unit("distance")}`,
        font: "10px 'B612 Mono', monospace",
        fill: new Fill({ color: shades.ringText }),
        stroke: new Stroke({ color: shades.halo, width: 3 }),
      }),
    }),
  );
  return [line, name];
}

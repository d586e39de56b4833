// An encounter opened: both tracks on the map, and how near the two came, over time.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import OlFeature from "ol/Feature";
import LineString from "ol/geom/LineString";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import MultiPoint from "ol/geom/MultiPoint";
import { palette } from "../../core/palette";
import { dark, preferences } from "../../core/preferences";
import { t } from "../../i18n/i18n";
import { giveBack, lentTrails, wantedView } from "../../map/lent";
import type { MapElement } from "../../map/map";
import { paint } from "../../map/trails";
import { call } from "../../session/api";
import { Task } from "../../session/task";
import { measure } from "../../ui/units";
import { approach, nearest, sampleAt, type Fix, type Sample } from "./approach";
import { chart, chartTable } from "./chart";
import type { SafetyEvent } from "./events";

/** How much is shown before the event began and after it ended. */
const AROUND_S = 60;
const MAX_S = 900;
/** Stored points are up to two minutes apart: those around the span are needed to know where an aircraft was at its ends. */
const BETWEEN_POINTS_S = 130;

class Encounter extends Task {
  static override properties = { event: { attribute: false } };
  declare event: SafetyEvent;
  private samples: Sample[] = [];
  private best: Sample | null = null;
  private fitted = false;
  private readonly source = new VectorSource();
  private readonly layer = new VectorLayer({ source: this.source, zIndex: 6 });

  constructor() {
    super();
    this.watch(preferences, dark);
  }

  private get map(): MapElement | null {
    return document.querySelector<MapElement>("sw-map");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    lentTrails.set([]);
    this.map?.addLayer(this.layer);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.map?.removeLayer(this.layer);
    giveBack();
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has("event")) void this.attemptRead(() => this.read());
  }

  /** The span that is shown (unix seconds): around the event, and of a long one around its closest point. */
  private get span(): [number, number] {
    const seconds = (at: string): number => Date.parse(at) / 1000;
    const { began_at, last_at, ended_at, closest } = this.event;
    const middle = closest ? seconds(closest.at) : seconds(began_at);
    const from = Math.min(seconds(began_at), middle) - AROUND_S;
    const to = Math.max(seconds(ended_at ?? last_at), middle) + AROUND_S;
    return [Math.max(from, middle - MAX_S / 2), Math.min(to, middle + MAX_S / 2)];
  }

  private async read(): Promise<void> {
    const { event } = this;
    const [from, to] = this.span;
    const iso = (at: number): string => new Date(at * 1000).toISOString();
    const query = { from: iso(from - BETWEEN_POINTS_S), to: iso(Math.min(to + BETWEEN_POINTS_S, Date.now() / 1000)) };
    const answers = await Promise.all(
      [event.icao_hex!, event.icao_hex_2!].map((hex) =>
        call("GET history/tracks/{icao_hex}", { path: { icao_hex: hex }, query }),
      ),
    );
    if (event !== this.event || !this.isConnected) return;
    const tracks = answers.map(({ points }) =>
      points.map((point) => ({
        ...point,
        at: Date.parse(point.at) / 1000,
        altitude: point.altitude_ft,
        ground: point.on_ground,
      })),
    );
    const [one, two]: Fix[][] = tracks;
    this.samples = approach(one, two, from, to);
    const named = event.closest ? sampleAt(one, two, Math.round(Date.parse(event.closest.at) / 1000)) : null;
    this.best = (named && this.samples.find(({ at }) => at === named.at)) ?? nearest(this.samples);
    lentTrails.set(tracks.map((track) => paint(track)));
    this.mark();
    const all = tracks.flat().map(({ lat, lon }) => fromLonLat([lon, lat]));
    if (!this.fitted && all.length) wantedView.set(all);
    this.fitted = true;
  }

  /** A line between the two where they were closest. */
  private mark(): void {
    this.source.clear();
    if (!this.best) return;
    const { one, two, distance_nm, vertical_ft } = this.best;
    const ends = [one, two].map(({ lat, lon }) => fromLonLat([lon, lat]));
    const shades = palette(dark.value);
    const text = `${measure("distance", distance_nm, 2)}, ${measure("altitude", vertical_ft)}`;
    const line = new OlFeature(new LineString(ends));
    line.setStyle(
      new Style({
        stroke: new Stroke({ color: shades.emergency, width: 2.4, lineDash: [5, 4] }),
        text: new Text({
          text,
          font: "700 13px B612, sans-serif",
          offsetY: -14,
          overflow: true,
          fill: new Fill({ color: shades.text }),
          stroke: new Stroke({ color: shades.textHalo, width: 4 }),
        }),
      }),
    );
    const points = new OlFeature(new MultiPoint(ends));
    points.setStyle(
      new Style({
        image: new Circle({
          radius: 4.5,
          fill: new Fill({ color: shades.emergency }),
          stroke: new Stroke({ color: shades.textHalo, width: 1.5 }),
        }),
      }),
    );
    this.source.addFeatures([line, points]);
  }

  protected override render(): TemplateResult {
    if (!this.samples.length || !this.best)
      return html`${this.fault()}${this.error ? nothing : html`<p class="hint" role="status">${this.hasRead && !this.isBusy ? t("encounter.no_tracks") : t("loading")}</p>`}`;
    return html`${this.fault()}${chart(this.samples, this.best)}${chartTable(this.samples, this.best)}`;
  }
}

customElements.define("sw-encounter", Encounter);

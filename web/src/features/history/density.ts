// Where aircraft were and how far was heard, as layers of the map with their legends.
import { html, nothing, svg, type TemplateResult } from "lit";
import type BaseLayer from "ol/layer/Base";
import { note, route } from "../../core/address";
import { palette } from "../../core/palette";
import { dark, preferences } from "../../core/preferences";
import { css } from "../../core/ramp";
import { number, t, type TextKey } from "../../i18n/i18n";
import { live } from "../../live/live";
import type { MapElement } from "../../map/map";
import { call } from "../../session/api";
import { Task } from "../../session/task";
import { simulatedSky } from "../../shell/simulated";
import { measure } from "../../ui/units";
import { bandColour, bandsOf, coverageLayer, type Sector } from "./coverage";
import { heatColour, heatLayer, mostOf, shareOf, type Cell } from "./heat";

type Kind = "heatmap" | "coverage";
const SPANS: Record<string, TextKey> = { "1": "span.hour", "6": "span.hours6", "24": "span.day", "168": "span.week" };
const EDGES_FT = [5000, 10_000, 20_000, 30_000, 40_000];
const TICKS_S = [1, 10, 60, 600, 3600, 36_000, 360_000, 3_600_000, 36_000_000];
const WIDTH = 270;

class Density extends Task {
  static override properties = { kind: {} };
  declare kind: Kind;
  private hours = "24";
  private layer: BaseLayer | null = null;
  private cells: Cell[] = [];
  private cellDeg = 0;
  private sectors: Sector[] = [];
  private summary = "";
  private opened = "";
  private stops: (() => void)[] = [];

  constructor() {
    super();
    this.kind = "heatmap";
    this.watch(route, preferences, live.station, dark);
  }

  private get map(): MapElement | null {
    return document.querySelector<MapElement>("sw-map");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stops = [dark.subscribe(() => this.draw())];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.stops) stop();
    this.opened = "";
    this.clear();
  }

  /** The lowest and the highest altitude that count, as the address has them. */
  private get altitudes(): { min_altitude_ft?: number; max_altitude_ft?: number } {
    const [low, high] = [Number(route.value.query.low), Number(route.value.query.high)];
    return {
      ...(EDGES_FT.includes(low) ? { min_altitude_ft: low } : {}),
      ...(EDGES_FT.includes(high) ? { max_altitude_ft: high - 1 } : {}),
    };
  }

  protected override updated(): void {
    const key = [this.kind, this.hours, route.value.query.low, route.value.query.high].join(" ");
    if (key === this.opened || !this.isConnected) return;
    this.opened = key;
    void this.attemptRead(() => (this.kind === "heatmap" ? this.readHeat(key) : this.readCoverage(key)));
  }

  private clear(): void {
    if (this.layer) this.map?.removeLayer(this.layer);
    this.layer = null;
    this.map?.hideAircraft(false);
  }

  private get query(): Record<string, string | number> {
    const to = new Date();
    return {
      from: new Date(to.getTime() - Number(this.hours) * 3_600_000).toISOString(),
      to: to.toISOString(),
      ...this.altitudes,
    };
  }

  private async readHeat(key: string): Promise<void> {
    const zoom = this.map?.map.getView().getZoom() ?? 7;
    const cellDeg = zoom > 8.5 ? 0.02 : zoom > 4.9 ? 0.05 : 0.2;
    const { cells, truncated, simulated } = await call("GET history/heatmap", {
      query: { ...this.query, cell_deg: cellDeg },
    });
    if (key !== this.opened) return;
    Object.assign(this, { cells, cellDeg, sectors: [], isSimulated: simulated });
    this.summary = cells.length ? (truncated ? t("history.truncated") : "") : t("history.nothing");
    this.draw();
  }

  private async readCoverage(key: string): Promise<void> {
    const { sectors, station, simulated } = await call("GET history/coverage", { query: this.query });
    if (key !== this.opened) return;
    Object.assign(this, { cells: [], sectors: station ? sectors : [], station, isSimulated: simulated });
    const farthest = Math.max(0, ...sectors.map((sector) => sector.max_distance_nm ?? 0));
    this.summary = !station
      ? t("history.no_station")
      : farthest
        ? t("history.farthest", { distance: measure("distance", farthest, 1) })
        : t("history.nothing");
    this.draw();
  }

  private station: { lat: number; lon: number } | null = null;
  private isSimulated = false;

  private draw(): void {
    this.clear();
    if (this.cells.length) this.layer = heatLayer(this.cells, this.cellDeg, palette(dark.value).heat);
    else if (this.station && bandsOf(this.sectors).length) this.layer = coverageLayer(this.sectors, this.station);
    if (!this.layer) return;
    this.map?.hideAircraft(true);
    this.map?.addLayer(this.layer);
  }

  protected override render(): TemplateResult {
    return html`<div class="segments" role="group" aria-label=${t("span.label")}>
        ${Object.entries(SPANS).map(([hours, title]) => html`<button aria-pressed=${this.hours === hours} @click=${() => this.choose(hours)}>${t(title)}</button>`)}
      </div>
      <div class="toolbar">${this.edge("low", "history.above")}${this.edge("high", "history.below")}</div>
      ${this.fault()}
      <p class="hint" role="status">${this.isBusy ? t("loading") : this.summary}</p>
      ${simulatedSky(this.isSimulated && !this.isBusy)}
      ${this.isBusy ? nothing : this.cells.length ? this.heatLegend() : this.coverageLegend()}`;
  }

  private choose(hours: string): void {
    this.hours = hours;
    this.requestUpdate();
  }

  private edge(name: "low" | "high", title: TextKey): TemplateResult {
    const chosen = route.value.query[name] ?? "";
    const other = Number(route.value.query[name === "low" ? "high" : "low"] ?? Number.NaN);
    const fits = (feet: number): boolean => Number.isNaN(other) || (name === "low" ? feet < other : feet > other);
    return html`<label><span>${t(title)}</span><select name=${name} @change=${(event: Event) => note({ [name]: (event.target as HTMLSelectElement).value })}>
      <option value="">${t("filter.all")}</option>${EDGES_FT.filter(fits).map((feet) => html`<option value=${feet} ?selected=${String(feet) === chosen}>${measure("altitude", feet)}</option>`)}</select></label>`;
  }

  private heatLegend(): TemplateResult {
    const most = mostOf(this.cells);
    const ticks = TICKS_S.filter((seconds) => seconds <= most && shareOf(seconds, most) > 0.2);
    const name = (seconds: number): string =>
      seconds < 60
        ? `${number(seconds)} s`
        : seconds < 3600
          ? `${number(seconds / 60)} min`
          : `${number(seconds / 3600)} h`;
    return html`<figure class="heat-legend"><svg viewBox="-4 0 ${WIDTH + 34} 30" role="img" aria-label=${t("history.heat_scale", { low: name(60), high: `${number(most / 3600, 1)} h` })}>
        <defs><linearGradient id="heat">${Array.from({ length: 12 }, (_, at) => svg`<stop offset=${at / 11} stop-color=${`rgb(${heatColour(at / 11, palette(dark.value).heat).join(" ")})`} />`)}</linearGradient></defs>
        <rect width=${WIDTH} height="8" rx="1" fill="url(#heat)" />
        ${ticks.map((seconds) => svg`<line x1=${shareOf(seconds, most) * WIDTH} x2=${shareOf(seconds, most) * WIDTH} y1="8" y2="13" stroke="currentColor" /><text x=${shareOf(seconds, most) * WIDTH} y="25" text-anchor="middle">${name(seconds)}</text>`)}
      </svg><figcaption class="hint">${t("history.heat_legend", { size: number(this.cellDeg, 2) })}</figcaption></figure>`;
  }

  private coverageLegend(): TemplateResult | typeof nothing {
    const bands = bandsOf(this.sectors);
    if (!bands.length) return nothing;
    return html`<table class="data bands"><thead><tr><th>${t("history.band")}</th><th class="number">${t("history.band_farthest")}</th></tr></thead>
      <tbody>${bands.map(
        (
          band,
        ) => html`<tr><td><svg width="18" height="10" aria-hidden="true">${svg`<rect width="18" height="10" rx="2" fill=${css(bandColour(band, dark.value))} />`}</svg>
        ${band.max_altitude_ft === null ? `> ${measure("altitude", band.min_altitude_ft)}` : `${measure("altitude", band.min_altitude_ft)} – ${measure("altitude", band.max_altitude_ft)}`}</td>
        <td class="number">${measure("distance", band.farthest_nm, 1)}</td></tr>`,
      )}</tbody></table>`;
  }
}

customElements.define("sw-history-density", Density);

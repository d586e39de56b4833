// What was: flights and their tracks, the sky replayed on a time line, where aircraft were, and how far was heard.
import { html, nothing, type TemplateResult } from "lit";
import { note, place } from "../../core/address";
import { preferences } from "../../core/preferences";
import { clock, measure } from "../../ui/units";
import { t, type TextKey } from "../../i18n/i18n";
import { live } from "../../live/live";
import type { MapElement } from "../../map/map";
import { mercatorX, mercatorY } from "../../core/mercator";
import { paint } from "../../map/trails";
import { call } from "../../session/api";
import { heatLayer, coverageLayer, type Cell, type Sector } from "./layers";
import { Replay } from "./replay";
import { exportLinks } from "./exports";
import { Task } from "../../session/task";

type Tab = "flights" | "replay" | "heatmap" | "coverage";
const TABS: Tab[] = ["flights", "replay", "heatmap", "coverage"];
const SPANS: Record<string, number> = { "1": 1, "6": 6, "24": 24, "168": 168 };

interface Flight {
  id: number;
  icao_hex: string;
  callsign: string | null;
  registration: string | null;
  aircraft_type: string | null;
  first_seen_at: string;
  last_seen_at: string;
  max_altitude_ft: number | null;
  distance_nm: number;
  duration_s: number;
  active: boolean;
}

interface TrackPoint {
  at: string;
  lat: number;
  lon: number;
  altitude_ft: number | null;
  on_ground: boolean;
  gap?: boolean;
}

class History extends Task {
  private flights: Flight[] = [];
  private count = 0;
  private next: string | null = null;
  private chosen: Flight | null = null;
  private hours = "24";
  private layer: Awaited<ReturnType<typeof heatLayer>> | null = null;
  private summary = "";
  private opened: Tab = "flights";
  private leave: (() => void) | undefined;
  private readonly replay = new Replay(() => this.requestUpdate());

  constructor() {
    super();
    this.watch(place, preferences, live.station);
  }

  private get map(): MapElement | null {
    return document.querySelector<MapElement>("sw-map");
  }

  private get tab(): Tab {
    const tab = place.value.query.tab as Tab;
    return TABS.includes(tab) ? tab : "flights";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.opened = this.tab;
    this.map?.lendTrails(true);
    void this.open();
    // By a link, or by going back: the address says which tab it is.
    this.leave = place.subscribe(({ page }) => page === "history" && this.tab !== this.opened && this.turn());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.leave?.();
    this.clear();
    this.map?.lendTrails(false);
    this.replay.end();
  }

  private clear(): void {
    if (this.layer) this.map?.removeLayer(this.layer);
    this.layer = null;
    this.map?.setTrail([]);
    this.map?.hideAircraft(false);
    this.summary = "";
  }

  private choose(tab: Tab): void {
    note({ tab: tab === "flights" ? null : tab });
  }

  private turn(): void {
    this.opened = this.tab;
    this.replay.end();
    this.clear();
    void this.open();
  }

  private open(): Promise<unknown> {
    if (this.tab === "flights") return this.attemptRead(() => this.search(place.value.query));
    if (this.tab === "heatmap") return this.attemptRead(() => this.showHeat());
    if (this.tab === "coverage") return this.attemptRead(() => this.showCoverage());
    return Promise.resolve();
  }

  private async search(fields: Record<string, string>): Promise<void> {
    const { icao_hex, callsign, type, from, to } = fields;
    const query = { icao_hex, callsign: callsign && !callsign.includes("*") ? `${callsign}*` : callsign, type, from: instant(from), to: instant(to), limit: 50 };
    const answer = await call<{ flights: Flight[]; count: number; next: string | null }>("history/flights", { query });
    this.flights = answer.flights;
    this.count = answer.count;
    this.next = answer.next;
  }

  private async more(): Promise<void> {
    const cursor = new URL(this.next!, location.href).searchParams;
    const answer = await call<{ flights: Flight[]; next: string | null }>("history/flights", { query: Object.fromEntries(cursor) });
    this.flights = [...this.flights, ...answer.flights];
    this.next = answer.next;
  }

  private readonly submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = Object.fromEntries([...new FormData(event.target as HTMLFormElement)].map(([name, value]) => [name, String(value).trim()]));
    note(form);
    void this.attemptRead(() => this.search(form));
  };

  private async show(flight: Flight): Promise<void> {
    this.chosen = flight;
    const { points } = await call<{ points: TrackPoint[] }>(`history/flights/${flight.id}/track`);
    if (this.chosen !== flight) return;
    const raw = points.map((point) => ({ at: Date.parse(point.at) / 1000, lat: point.lat, lon: point.lon, altitude: point.altitude_ft, ground: point.on_ground, gap: point.gap ?? false }));
    this.map?.setTrail(raw.length ? [paint(raw)] : []);
    if (!raw.length) {
      this.summary = t("history.no_track");
      return;
    }
    this.summary = "";
    this.map?.fit(raw.map(({ lat, lon }) => [mercatorX(lon), mercatorY(lat)]));
  }

  private span(): { from: string; to: string } {
    const to = new Date();
    return { from: new Date(to.getTime() - SPANS[this.hours] * 3_600_000).toISOString(), to: to.toISOString() };
  }

  private async showHeat(): Promise<void> {
    this.clear();
    const zoom = this.map?.map.getView().getZoom() ?? 7;
    const cell = zoom > 8.5 ? 0.02 : zoom > 4.9 ? 0.05 : 0.2;
    const { cells, truncated } = await call<{ cells: Cell[]; truncated: boolean }>("history/heatmap", { query: { ...this.span(), cell_deg: cell } });
    if (this.tab !== "heatmap") return;
    this.map?.hideAircraft(true);
    this.layer = heatLayer(cells, cell);
    this.map?.addLayer(this.layer);
    this.summary = cells.length ? t("history.cells", { n: cells.length }) + (truncated ? ` · ${t("history.truncated")}` : "") : t("history.nothing");
  }

  private async showCoverage(): Promise<void> {
    this.clear();
    const { sectors, station } = await call<{ sectors: Sector[]; station: { lat: number; lon: number } | null }>("history/coverage", { query: this.span() });
    if (this.tab !== "coverage") return;
    const farthest = Math.max(0, ...sectors.map((sector) => sector.max_distance_nm ?? 0));
    if (!station || !farthest) {
      this.summary = station ? t("history.nothing") : t("history.no_station");
      return;
    }
    this.map?.hideAircraft(true);
    this.layer = coverageLayer(sectors, station);
    this.map?.addLayer(this.layer);
    this.summary = t("history.farthest", { distance: measure("distance", farthest, 1) });
  }

  private spanChoice(): TemplateResult {
    const names: Record<string, TextKey> = { "1": "span.hour", "6": "span.hours6", "24": "span.day", "168": "span.week" };
    const choose = (hours: string): void => {
      this.hours = hours;
      void this.open();
    };
    return html`<div class="segments" role="group" aria-label=${t("span.label")}>
      ${Object.keys(SPANS).map((hours) => html`<button aria-pressed=${this.hours === hours} @click=${() => choose(hours)}>${t(names[hours])}</button>`)}
    </div>`;
  }

  protected override render(): TemplateResult {
    return html`<div class="sheet">
      <header><h1>${t("nav.history")}</h1></header>
      <div class="tabs" role="tablist">${TABS.map((tab) => html`<button role="tab" aria-selected=${tab === this.tab} @click=${() => this.choose(tab)}>${t(`history.${tab}`)}</button>`)}</div>
      ${this.fault()}
      ${this.tab === "flights" ? this.flightSearch() : this.tab === "replay" ? this.replay.render() : this.spanChoice()}
      ${this.isBusy ? html`<p class="hint" role="status">${t("loading")}</p>` : html`<p class="hint" role="status">${this.summary}</p>`}
    </div>`;
  }

  private flightSearch(): TemplateResult {
    const { query } = place.value;
    const field = (name: string, title: TextKey, type = "text"): TemplateResult =>
      html`<label><span>${t(title)}</span><input name=${name} type=${type} .value=${query[name] ?? ""} autocomplete="off" spellcheck="false" /></label>`;
    return html`<form class="toolbar" @submit=${this.submit}>
        ${field("callsign", "column.flight")}${field("icao_hex", "column.hex")}${field("type", "column.type")}
        ${field("from", "filter.from", "datetime-local")}${field("to", "filter.to", "datetime-local")}
        <button class="primary">${t("search")}</button>
      </form>
      ${this.flights.length ? html`<p class="hint" role="status">${t("history.found", { n: this.count })}</p>` : nothing}
      <ul class="cards">${this.flights.map((flight) => this.card(flight))}</ul>
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}
      ${this.flights.length || this.isBusy ? nothing : this.emptyList(t(Object.values(query).some(Boolean) ? "history.nothing" : "history.begin"))}`;
  }

  private card(flight: Flight): TemplateResult {
    const isChosen = this.chosen?.id === flight.id;
    return html`<li class=${isChosen ? "chosen" : ""}>
      <button class="plain card-button" aria-pressed=${isChosen} @click=${() => void this.attempt(() => this.show(flight))}>
        <b class="mono">${flight.callsign ?? flight.icao_hex}</b> <span>${[flight.registration, flight.aircraft_type].filter(Boolean).join(" · ")}</span>
        ${flight.active ? html`<span class="tag good">${t("history.active")}</span>` : nothing}
        <small>${clock(flight.first_seen_at, true)} · ${t("span.minutes", { n: Math.round(flight.duration_s / 60) })} · ${measure("altitude", flight.max_altitude_ft)} · ${measure("distance", flight.distance_nm)}</small>
      </button>
      ${isChosen ? exportLinks(flight.id) : nothing}
    </li>`;
  }
}

/** The time of an input in this browser's zone, as the service takes it. */
function instant(local: string | undefined): string | undefined {
  if (!local) return undefined;
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

customElements.define("sw-history", History);

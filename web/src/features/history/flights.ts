// The search of flights: the day, who it was, and the track of the chosen one on the map.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { mercatorX, mercatorY } from "../../core/mercator";
import { preferences } from "../../core/preferences";
import { t, type TextKey } from "../../i18n/i18n";
import { giveBack, lentTrails, wantedView } from "../../map/lent";
import { paint } from "../../map/trails";
import { call, queryOf } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task } from "../../session/task";
import { lengthFor, replayFrom } from "../../shell/replay";
import { span } from "../../ui/days";
import { measure } from "../../ui/units";
import { dayOf, daySpan, instant } from "./days";
import { exportLinks } from "./exports";
import { raw } from "./track";

type Flight = Schemas["FlightRecord"];

const MINUTE_MS = 60_000;

class Flights extends Task {
  private flights: Flight[] = [];
  private count = 0;
  private next: string | null = null;
  private chosen: Flight | null = null;
  private summary = "";

  constructor() {
    super();
    this.watch(route, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    lentTrails.set([]);
    void this.attemptRead(() => this.search());
    const id = Number(route.value.query.flight);
    if (Number.isSafeInteger(id) && id > 0) void this.attemptRead(() => this.show(id), "flight");
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    giveBack();
  }

  private async search(): Promise<void> {
    const { icao_hex, callsign, registration, type, day, from, to } = route.value.query;
    const span = day ? daySpan(day) : { from: instant(from), to: instant(to) };
    const query = {
      icao_hex,
      callsign: beginning(callsign),
      registration: beginning(registration),
      type,
      ...span,
      limit: 50,
    };
    const answer = await this.asList(call("GET history/flights", { query }));
    this.flights = answer.flights;
    this.count = answer.count;
    this.next = answer.next;
  }

  private async more(): Promise<void> {
    const answer = await this.asNextPage(call("GET history/flights", { query: queryOf(this.next!) }));
    this.flights = [...this.flights, ...answer.flights];
    this.next = answer.next;
  }

  private readonly submit = (event: Event): void => {
    event.preventDefault();
    const form = (event.currentTarget as HTMLElement).closest("form")!;
    note(Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()])));
    void this.attemptRead(() => this.search());
  };

  private chooseDay(day: string): void {
    note({ day: day || null, from: null, to: null });
    void this.attemptRead(() => this.search());
  }

  private async show(id: number): Promise<void> {
    note({ flight: String(id) });
    const { flight, points } = await call("GET history/flights/{flight_id}/track", { path: { flight_id: id } });
    if (route.value.query.flight !== String(id)) return;
    this.chosen = flight;
    const track = raw(points);
    lentTrails.set(track.length ? [paint(track)] : []);
    this.summary = track.length ? "" : t("history.no_track");
    if (track.length) wantedView.set(track.map(({ lat, lon }) => [mercatorX(lon), mercatorY(lat)]));
  }

  protected override render(): TemplateResult {
    const { query } = route.value;
    const field = (name: string, title: TextKey, type = "text"): TemplateResult =>
      html`<label><span>${t(title)}</span><input name=${name} type=${type} .value=${query[name] ?? ""} autocomplete="off" spellcheck="false" /></label>`;
    const isListed = this.flights.some(({ id }) => id === this.chosen?.id);
    return html`${this.days(query.day ?? "")}
      <form @submit=${this.submit}>
        <div class="toolbar">${field("callsign", "column.flight")}${session.can("aircraft.view_details") ? field("registration", "history.registration") : nothing}<button class="primary">${t("search")}</button></div>
        <details class="further" ?open=${Boolean(query.icao_hex || query.type || query.from || query.to)}><summary>${t("history.further")}</summary>
          <div class="toolbar">${field("icao_hex", "column.hex")}${field("type", "column.type")}${query.day ? nothing : html`${field("from", "filter.from", "datetime-local")}${field("to", "filter.to", "datetime-local")}`}</div></details>
      </form>
      ${this.fault()}
      <p class="hint" role="status">${this.isBusy ? t("loading") : this.summary || (this.flights.length ? t("history.found", { n: this.count }) : "")}</p>
      ${this.chosen && !isListed ? html`<ul class="cards">${this.card(this.chosen)}</ul>` : nothing}
      <ul class="cards">${this.flights.map((flight) => this.card(flight))}</ul>
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}
      ${this.flights.length || this.isBusy ? nothing : this.emptyList(t(["callsign", "registration", "icao_hex", "type", "day", "from", "to"].some((name) => query[name]) ? "history.nothing" : "history.begin"))}`;
  }

  private days(chosen: string): TemplateResult {
    const today = dayOf(new Date());
    const yesterday = dayOf(new Date(), -1);
    const choices: [string, TextKey][] = [
      ["", "history.any_day"],
      [today, "history.today"],
      [yesterday, "history.yesterday"],
    ];
    return html`<div class="days">
      <div class="segments" role="group" aria-label=${t("history.day")}>${choices.map(([day, title]) => html`<button aria-pressed=${day === chosen} @click=${() => this.chooseDay(day)}>${t(title)}</button>`)}</div>
      <label><span class="visually-hidden">${t("history.day")}</span><input type="date" max=${today} .value=${chosen} @change=${(event: Event) => this.chooseDay((event.target as HTMLInputElement).value)} /></label>
    </div>`;
  }

  private card(flight: Flight): TemplateResult {
    const isChosen = this.chosen?.id === flight.id;
    return html`<li class=${isChosen ? "chosen" : ""}>
      <button class="plain card-button" aria-pressed=${isChosen} @click=${() => void this.attempt(() => this.show(flight.id))}>
        <b class="mono">${flight.callsign ?? flight.icao_hex}</b> <span>${[flight.registration, flight.aircraft_type].filter(Boolean).join(" · ")} ${flight.simulated ? html`<span class="tag">${t("simulated.tag")}</span>` : nothing}</span>
        ${flight.active ? html`<span class="tag good">${t("history.active")}</span>` : nothing}
        <small>${span(flight.first_seen_at, flight.last_seen_at)} · ${t("span.minutes", { n: Math.round(flight.duration_s / 60) })} · ${measure("altitude", flight.max_altitude_ft)} · ${measure("distance", flight.distance_nm)}</small>
      </button>
      ${isChosen ? html`<p class="exports">${this.replayLink(flight)}</p>${exportLinks(flight.id)}` : nothing}
    </li>`;
  }

  private replayLink(flight: Flight): TemplateResult | typeof nothing {
    const length = lengthFor((Date.parse(flight.last_seen_at) - Date.parse(flight.first_seen_at)) / MINUTE_MS);
    const address = replayFrom(flight.first_seen_at, [flight.icao_hex], {
      begin: flight.first_seen_at,
      minutes: String(length),
      flight: String(flight.id),
    });
    return address ? html`<a href=${address}>${t("replay.flight")}</a>` : nothing;
  }
}

function beginning(text: string | undefined): string | undefined {
  return text && !text.includes("*") ? `${text}*` : text;
}

customElements.define("sw-history-flights", Flights);

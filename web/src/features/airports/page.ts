// The search of airports, and the board of the one in the address: what landed and took off, and what is expected.
import { html, nothing, type TemplateResult } from "lit";
import { format, note, route } from "../../core/address";
import { preferences } from "../../core/preferences";
import { t, type TextKey, word } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task } from "../../session/task";
import { clock } from "../../ui/units";

type Airport = Schemas["AirportRecord"];
type Board = Schemas["Board"];

const REFRESH_MS = 20_000;
const DIRECTIONS: [string, TextKey][] = [
  ["arrivals", "airports.arrivals"],
  ["departures", "airports.departures"],
];

class AirportsPage extends Task {
  private found: Airport[] = [];
  private board: Board | null = null;
  private shown = "";
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(route, session.user, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(
      () => document.hidden || !this.ident || void this.attemptRead(() => this.read()),
      REFRESH_MS,
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private get ident(): string {
    return route.value.item ?? "";
  }

  private get direction(): string {
    return route.value.query.direction === "departures" ? "departures" : "arrivals";
  }

  private get isWall(): boolean {
    return route.value.query.wall === "1";
  }

  protected override willUpdate(): void {
    const wanted = `${this.ident} ${this.direction} ${this.ident ? "" : (route.value.query.q ?? "")}`;
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.hasRead = false;
    this.board = null;
    this.found = [];
    void this.attemptRead(() => this.read());
  }

  private async read(): Promise<void> {
    const { ident, direction } = this;
    if (ident) {
      const board = await call("GET airports/{ident}/board", { path: { ident }, query: { direction, limit: 200 } });
      if (ident === this.ident && direction === this.direction) this.board = board;
      return;
    }
    const { q } = route.value.query;
    const found = q ? (await call("GET airports", { query: { q, limit: 50 } })).airports : [];
    if (!this.ident && q === route.value.query.q) this.found = found;
  }

  private readonly search = (event: Event): void => {
    event.preventDefault();
    note({ q: String(new FormData(event.currentTarget as HTMLFormElement).get("q") ?? "").trim() || null });
  };

  protected override render(): TemplateResult {
    return this.ident ? this.airport() : this.list();
  }

  private list(): TemplateResult {
    const q = route.value.query.q ?? "";
    return html`<div class="sheet"><header><h1>${t("nav.airports")}</h1></header>
      <form class="toolbar" @submit=${this.search}>
        <label><span>${t("airports.search")}</span><input name="q" type="search" .value=${q} autocomplete="off" spellcheck="false" /></label>
        <button class="primary">${t("search")}</button>
      </form>${this.fault()}
      ${this.found.length ? html`<ul class="airport-list">${this.found.map((one) => entry(one))}</ul>` : this.emptyList(t(q ? "airports.none" : "airports.begin"))}</div>`;
  }

  private airport(): TemplateResult {
    const { board } = this;
    const content = html`<header><h1>${board ? `${board.airport.name} (${codes(board.airport)})` : this.ident}</h1></header>
      ${this.fault()}
      <div class="airport-bar">
        <div class="segments" role="group" aria-label=${t("airports.direction")}>${DIRECTIONS.map(([name, title]) => html`<button aria-pressed=${name === this.direction} @click=${() => note({ direction: name })}>${t(title)}</button>`)}</div>
        <button @click=${() => note({ wall: this.isWall ? null : "1" })}>${t(this.isWall ? "airports.wall_end" : "airports.wall")}</button>
        ${this.isWall ? nothing : html`<a href="#/airports">${t("airports.all")}</a>`}
      </div>
      ${board ? this.content(board) : this.emptyList("")}`;
    return this.isWall ? html`<div class="airport-wall">${content}</div>` : html`<div class="sheet">${content}</div>`;
  }

  private content(board: Board): TemplateResult {
    const isArriving = this.direction === "arrivals";
    return html`${board.covered === false ? html`<p class="hint" role="status">${t("airports.not_covered")}</p>` : nothing}
      ${
        board.runways_in_use.length
          ? html`<h2>${t("airports.in_use")}</h2><ul class="airport-runways">${board.runways_in_use.map(({ runway, landings, take_offs }) => html`<li><b class="mono">${runway}</b> <small>${t("airports.counts", { landings, take_offs })}</small></li>`)}</ul>`
          : nothing
      }
      ${
        board.movements.length || board.expected.length
          ? html`<table class="airport-board">
              <thead><tr><th scope="col">${t("airports.time")}</th><th scope="col">${t("airports.flight")}</th><th scope="col" class="wide">${t("airports.type")}</th><th scope="col">${t(isArriving ? "airports.from" : "airports.to")}</th><th scope="col">${t("airports.runway")}</th><th scope="col" class="wide">${t("airports.what")}</th></tr></thead>
              <tbody>
                ${board.expected.map((one) => html`<tr class="expected"><td>${clock(one.eta)}</td><td class="mono">${flight(one)}</td><td class="wide">${one.type ?? ""}</td><td></td><td class="mono">${one.runway ?? ""}</td><td class="wide">${t("airports.expected")}</td></tr>`)}
                ${board.movements.map((one) => html`<tr><td>${clock(one.at)}</td><td class="mono">${flight(one)}</td><td class="wide">${one.type ?? ""}</td><td>${one.from_or_to && (isArriving || one.kind !== "touch_and_go") ? html`<a href="#/airports/${encodeURIComponent(one.from_or_to)}">${one.from_or_to}</a>` : ""}</td><td class="mono">${one.runway ?? ""}</td><td class="wide">${word("movement", one.kind)}</td></tr>`)}
              </tbody>
            </table>`
          : this.emptyList(t("airports.nothing"))
      }`;
  }
}

function codes({ ident, iata }: Airport): string {
  return iata ? `${iata}, ${ident}` : ident;
}

function entry(airport: Airport): TemplateResult {
  return html`<li><a href=${format({ page: "airports", item: airport.ident, query: {} })}><b class="mono">${airport.iata ?? airport.ident}</b><span>${airport.name} <span class="airport-place">${airport.town ?? ""}</span></span><small>${airport.country ?? ""}</small></a></li>`;
}

/** The flight in history, else the name alone. */
function flight(one: { icao_hex: string; callsign: string | null; flight_id?: number | null }): TemplateResult {
  const name = one.callsign ?? one.icao_hex;
  return one.flight_id
    ? html`<a href=${format({ page: "history", query: { flight: String(one.flight_id), icao_hex: one.icao_hex } })}>${name}</a>`
    : html`${name}`;
}

customElements.define("sw-airports", AirportsPage);

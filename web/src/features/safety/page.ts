// Safety: what happens and what happened, where satellite navigation is disturbed, and who has looked at it.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { preferences } from "../../core/preferences";
import { clock, measure, type Quantity } from "../../ui/units";
import { number, saidIn, t, word } from "../../i18n/i18n";
import { live } from "../../live/live";
import { isSilent } from "../../live/simulated";
import type { MapElement } from "../../map/map";
import { mercatorX, mercatorY } from "../../core/mercator";
import { call, queryOf } from "../../session/api";
import { session } from "../../session/session";
import { announce } from "../../ui/announce";
import { Task } from "../../session/task";
import { replayFrom } from "../../shell/replay";
import { areas, layer, readAreas } from "./areas";
import "./encounter";
import { isEncounter, sentenceOf, type SafetyEvent } from "./events";

const TYPES = [
  "emergency_squawk",
  "acas_ra",
  "proximity",
  "extreme_vertical_rate",
  "vertical_rate_reversal",
  "low_altitude",
  "position_integrity",
];
const LEVEL_TAG: Record<string, string> = { critical: "danger", warning: "warning", info: "" };
const PAGE = 50;
const QUANTITIES: Record<string, Quantity> = { nm: "distance", ft: "altitude", kt: "speed", "ft/min": "rate" };

class Safety extends Task {
  private events: SafetyEvent[] = [];
  /** The event that the address names, where it is not among those of the list. */
  private linked: SafetyEvent | null = null;
  private next: string | null = null;
  private stop: (() => void) | null = null;

  constructor() {
    super();
    this.watch(route, preferences, areas);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    void this.attemptRead(readAreas, "areas");
    this.stop = live.happening.subscribe((news) => {
      if (news?.topic !== "safety" || news.data.past) return;
      // The bell tells critical ones, wherever the person is.
      if (news.event === "safety:event" && news.data.severity !== "critical" && !isSilent())
        announce(saidIn(news.data, "message"));
      void this.attemptRead(() => this.read());
      if (news.data.type === "position_integrity") void this.attemptRead(readAreas, "areas");
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.();
  }

  private get map(): MapElement | null {
    return document.querySelector<MapElement>("sw-map");
  }

  private async read(): Promise<void> {
    const { type, severity, active, held } = route.value.query;
    const query = {
      type,
      severity,
      active: active === "1" ? true : undefined,
      suppressed: held === "1" ? undefined : false,
      limit: PAGE,
    };
    const answer = await this.asList(call("GET safety/events", { query }));
    this.events = answer.events;
    this.next = answer.next;
    await this.readLinked();
  }

  private async readLinked(): Promise<void> {
    const id = Number(route.value.query.event);
    const isLinked = Number.isSafeInteger(id) && id > 0 && !this.events.some((event) => event.id === id);
    this.linked = isLinked ? await call("GET safety/events/{id}", { path: { id } }) : null;
  }

  private async more(): Promise<void> {
    const answer = await this.asNextPage(call("GET safety/events", { query: queryOf(this.next!) }));
    this.events = [...this.events, ...answer.events];
    this.next = answer.next;
  }

  private filter(change: Record<string, string | null>): void {
    note(change);
    void this.attemptRead(() => this.read());
  }

  private acknowledge(event: SafetyEvent): void {
    void this.attempt(async () => {
      await call("POST safety/events/{id}/acknowledge", { path: { id: event.id } });
      await this.read();
    });
  }

  private go(event: SafetyEvent): void {
    if (event.position) this.map?.fit([[mercatorX(event.position.lon), mercatorY(event.position.lat)]]);
  }

  protected override render(): TemplateResult {
    const { type, severity, active, held } = route.value.query;
    return html`<div class="sheet"><header><h1>${t("nav.safety")}</h1></header>
      <div class="toolbar">
        <label><span>${t("safety.type")}</span><select @change=${(event: Event) => this.filter({ type: (event.target as HTMLSelectElement).value })}>
          <option value="">${t("filter.all")}</option>${TYPES.map((one) => html`<option value=${one} ?selected=${one === type}>${word("safety", one)}</option>`)}</select></label>
        <label><span>${t("safety.severity")}</span><select @change=${(event: Event) => this.filter({ severity: (event.target as HTMLSelectElement).value })}>
          <option value="">${t("filter.all")}</option>${["critical", "warning", "info"].map((one) => html`<option value=${one} ?selected=${one === severity}>${word("level", one)}</option>`)}</select></label>
      </div>
      <label class="check"><input type="checkbox" .checked=${active === "1"} @change=${() => this.filter({ active: active === "1" ? null : "1" })} /> ${t("safety.active_only")}</label>
      <label class="check"><input type="checkbox" .checked=${held === "1"} @change=${() => this.filter({ held: held === "1" ? null : "1" })} /> ${t("safety.with_held_back")}</label>
      ${areas.value ? html`<p class="hint">${t("safety.areas", { n: areas.value })}</p>` : nothing}
      ${this.fault()}
      ${this.linked ? html`<ul class="cards">${this.card(this.linked)}</ul>` : nothing}
      ${this.events.length ? html`<ul class="cards">${this.events.map((event) => this.card(event))}</ul>` : this.emptyList(t("safety.none"))}
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}
    </div>`;
  }

  private card(event: SafetyEvent): TemplateResult {
    // The box is that of the threshold; the rest is what happened.
    const figures = Object.entries(event.numbers ?? {}).filter(
      ([name, one]) => typeof one?.value === "number" && !name.startsWith("box_"),
    );
    const held = event.suppressed_by ?? [];
    const isOpen = isEncounter(event) && route.value.query.event === String(event.id);
    const replay = replayFrom(event.closest?.at ?? event.began_at, [event.icao_hex, event.icao_hex_2]);
    return html`<li class="card ${event.ended_at ? "done" : ""}">
      <p><span class="tag ${LEVEL_TAG[event.severity]}">${word("level", event.severity)}</span> <b>${word("safety", event.type)}</b>
        ${event.ended_at ? nothing : html`<span class="tag good">${t("in_progress")}</span>`}
        ${event.simulated ? html`<span class="tag">${t("simulated.tag")}</span>` : nothing}</p>
      <p class="sentence">${sentenceOf(event)}</p>
      ${held.length ? html`<p><small>${t("safety.held_back")}: ${held.map((reason) => word("reason", reason)).join(", ")}</small></p>` : nothing}
      <p class="mono">${(event.callsigns ?? []).filter(Boolean).join(", ")}</p>
      ${figures.length ? html`<p><small>${figures.map(([name, one]) => `${word("figure", name)} ${figure(one.value as number, one.unit ?? "")}`).join(" · ")}</small></p>` : nothing}
      <p class="actions"><small>${clock(event.began_at, true)}${event.ended_at ? ` – ${clock(event.ended_at)}` : ""}</small>
        ${event.icao_hex ? html`<a href="#/map?hex=${event.icao_hex.toLowerCase()}">${t("aircraft.show")}</a>` : nothing}
        ${event.position ? html`<button class="plain link" @click=${() => this.go(event)}>${t("map.show")}</button>` : nothing}
        ${replay ? html`<a href=${replay}>${t("replay.here")}</a>` : nothing}
        ${isEncounter(event) ? html`<button class="plain link" aria-expanded=${isOpen} @click=${() => note({ event: isOpen ? null : String(event.id) })}>${t("encounter.open")}</button>` : nothing}
        ${event.acknowledged ? html`<small>${t("acknowledged")}</small>` : session.can("safety.acknowledge") ? html`<button class="plain link" @click=${() => this.acknowledge(event)}>${t("acknowledge")}</button>` : nothing}</p>
      ${isOpen ? html`<sw-encounter .event=${event}></sw-encounter>` : nothing}
    </li>`;
  }
}

/** A number of an event; where the reader may choose the unit, in the unit that was chosen. */
function figure(value: number, unit: string): string {
  const digits = Number.isInteger(value) ? 0 : 2;
  const quantity = QUANTITIES[unit];
  return quantity ? measure(quantity, value, digits) : `${number(value, digits)}\u00a0${unit}`;
}

export { layer };

customElements.define("sw-safety", Safety);

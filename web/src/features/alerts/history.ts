// What rules announced, the newest first and as it happens; looked at, searched and acknowledged.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { preferences } from "../../core/preferences";
import { clock } from "../../ui/units";
import { saidIn, t, word } from "../../i18n/i18n";
import { live } from "../../live/live";
import type { MapElement } from "../../map/map";
import { mercatorX, mercatorY } from "../../core/mercator";
import { call, queryOf } from "../../session/api";
import { inform } from "../../ui/announce";
import { Task } from "../../session/task";
import { replayFrom } from "../../shell/replay";
import { shownValue } from "./rules/conditions";
import { LEVEL_TAG, PRIORITIES, type Alert } from "./types";

const PAGE = 50;

class AlertHistory extends Task {
  private alerts: Alert[] = [];
  private count = 0;
  private next: string | null = null;
  private open: number | null = null;
  private stop: (() => void) | null = null;
  private due: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.watch(route, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    this.stop = live.happening.subscribe((news) => {
      if (news?.topic !== "alerts" || !news.event.startsWith("alert:") || news.data.past) return;
      // A burst of alerts is read once.
      this.due ??= setTimeout(() => {
        this.due = undefined;
        void this.attemptRead(() => this.read());
      }, 150);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.due);
    this.due = undefined;
    this.stop?.();
  }

  private async read(): Promise<void> {
    const { q, priority, acknowledged, rule } = route.value.query;
    const query = { q, priority, acknowledged, rule, limit: PAGE };
    const answer = await this.asList(call("GET alerts/history/", { query }));
    this.alerts = answer.alerts;
    this.count = answer.count;
    this.next = answer.next;
  }

  private async more(): Promise<void> {
    const answer = await this.asNextPage(call("GET alerts/history/", { query: queryOf(this.next!) }));
    this.alerts = [...this.alerts, ...answer.alerts];
    this.next = answer.next;
  }

  private readonly search = (event: Event): void => {
    event.preventDefault();
    const form = new FormData((event.currentTarget as HTMLElement).closest("form")!);
    note(Object.fromEntries([...form].map(([name, value]) => [name, String(value).trim()])));
    void this.attemptRead(() => this.read());
  };

  private acknowledge(alert: Alert): void {
    void this.attempt(async () => {
      await call("POST alerts/history/{id}/acknowledge/", { path: { id: alert.id } });
      await this.read();
    });
  }

  private readonly acknowledgeAll = (): void => {
    void this.attempt(async () => {
      const { acknowledged } = await call("POST alerts/history/acknowledge-all/");
      inform(t("alerts.acknowledged_n", { n: acknowledged }));
      await this.read();
    });
  };

  private toggle(alert: Alert): void {
    this.open = this.open === alert.id ? null : alert.id;
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { q, priority, acknowledged, rule } = route.value.query;
    const states: [string, string][] = [
      ["", t("filter.all")],
      ["false", t("alerts.open")],
      ["true", t("acknowledged")],
    ];
    return html`<form class="toolbar" role="search" @submit=${this.search}>
        <label><span>${t("alerts.words")}</span><input name="q" type="search" .value=${q ?? ""} autocomplete="off" /></label>
        <label><span>${t("rule.priority")}</span><select name="priority" @change=${this.search}><option value="">${t("filter.all")}</option>${PRIORITIES.map((one) => html`<option value=${one} ?selected=${one === priority}>${word("level", one)}</option>`)}</select></label>
        <label><span>${t("alerts.state")}</span><select name="acknowledged" @change=${this.search}>${states.map(([value, name]) => html`<option value=${value} ?selected=${value === (acknowledged ?? "")}>${name}</option>`)}</select></label>
        <button class="primary">${t("search")}</button>
      </form>
      ${rule ? html`<p class="hint">${t("alerts.one_rule")} <button class="plain link" @click=${() => this.clear()}>${t("alerts.all_rules")}</button></p>` : nothing}
      <p class="bar"><span class="hint" role="status">${this.hasRead ? t("alerts.count", { n: this.count }) : nothing}</span>
        ${this.alerts.some((alert) => !alert.acknowledged) ? html`<button class="plain link" @click=${this.acknowledgeAll}>${t("acknowledge_all")}</button>` : nothing}</p>
      ${this.fault()}
      ${
        this.alerts.length
          ? html`<ul class="cards">${this.alerts.map((alert) => this.card(alert))}</ul>`
          : this.emptyList(html`${t("alerts.none")} <a href="#/alerts?tab=rules">${t("alerts.rules")}</a>`)
      }
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}`;
  }

  private clear(): void {
    note({ rule: null });
    void this.attemptRead(() => this.read());
  }

  private where(alert: Alert): [number, number] | null {
    const { lat, lon } = alert.aircraft;
    return typeof lat === "number" && typeof lon === "number" ? [lat, lon] : null;
  }

  private card(alert: Alert): TemplateResult {
    const name =
      [alert.callsign, alert.registration, alert.icao_hex].filter(Boolean)[0] ??
      (alert.count === null ? "–" : t("alerts.aircraft", { n: alert.count }));
    const at = this.where(alert);
    const isOpen = this.open === alert.id;
    const replay = replayFrom(alert.triggered_at, [alert.icao_hex]);
    return html`<li class="card ${alert.acknowledged ? "done" : ""}">
      <p><span class="tag ${LEVEL_TAG[alert.priority]}">${word("level", alert.priority)}</span> <b>${alert.rule_name}</b>
        ${alert.cleared_at ? nothing : html`<span class="tag good">${t("in_progress")}</span>`}
        ${alert.simulated ? html`<span class="tag">${t("simulated.tag")}</span>` : nothing}</p>
      <p>${saidIn(alert, "message")}</p>
      <p><small><span class="mono">${name}</span> · ${clock(alert.triggered_at, true)}${alert.cleared_at ? ` – ${clock(alert.cleared_at)}` : ""}${alert.geofence ? ` · ${alert.geofence}` : ""}</small></p>
      <p class="actions">
        ${alert.acknowledged ? html`<small>${t("acknowledged")}${alert.acknowledged_by ? ` · ${alert.acknowledged_by}` : ""}</small>` : html`<button class="plain link" @click=${() => this.acknowledge(alert)}>${t("acknowledge")}</button>`}
        ${alert.icao_hex ? html`<a href="#/map?hex=${alert.icao_hex.toLowerCase()}">${t("aircraft.show")}</a>` : nothing}
        ${at ? html`<button class="plain link" @click=${() => document.querySelector<MapElement>("sw-map")?.fit([[mercatorX(at[1]), mercatorY(at[0])]])}>${t("map.show")}</button>` : nothing}
        ${replay ? html`<a href=${replay}>${t("replay.here")}</a>` : nothing}
        <button class="plain link" aria-expanded=${isOpen} @click=${() => this.toggle(alert)}>${t("details")}</button>
      </p>
      ${isOpen ? this.details(alert) : nothing}
    </li>`;
  }

  private details(alert: Alert): TemplateResult {
    return html`<div class="alert-details">
      <table class="data"><tbody>${alert.matched.map((one) =>
        "field" in one
          ? html`<tr><td>${word("field", String(one.field))}</td><td>${word("op", String(one.op))} ${shownValue(one.value)}${one.more ? ` (+${String(one.more)})` : ""}</td><td class="mono">${shownValue(one.actual)}</td></tr>`
          : html`<tr><td class="mono" colspan="3">${[one.callsign, one.registration, one.icao_hex ?? one.hex].filter(Boolean).join(" · ")}</td></tr>`,
      )}</tbody></table>
      ${(alert.deliveries ?? []).length ? html`<p><small>${t("alerts.deliveries")}: ${alert.deliveries!.map(({ channel, state }) => `${String(channel)} ${word("delivery", state)}`).join(", ")}</small></p>` : nothing}
    </div>`;
  }
}

customElements.define("sw-alert-history", AlertHistory);

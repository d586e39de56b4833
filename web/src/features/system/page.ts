// The station in figures: what it hears now, what it heard over the last days, and how its receivers are.
import { html, nothing, svg, type TemplateResult } from "lit";
import { corners } from "../../core/polar";
import { preferences } from "../../core/preferences";
import { clock, day, measure } from "../../ui/units";
import { number, saidIn, t, word, type TextKey } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { fetchOperators, operatorName, typeName } from "../../panel/names";
import { session } from "../../session/session";
import { Task } from "../../session/task";

type Status = Schemas["SystemStatus"];
type Receiver = Schemas["ReceiverState"];
type Stats = Schemas["HistoryStatistics"];
type Sector = Schemas["CoverageSector"];

const REFRESH_MS = 10_000;
const SAMPLES = 180;

function since(seconds: number): string {
  return seconds < 5400
    ? t("span.minutes", { n: Math.floor(seconds / 60) })
    : t("stats.hours", { n: Math.round(seconds / 3600) });
}

class StatsPage extends Task {
  private status: Status | null = null;
  private receivers: Receiver[] = [];
  private stats: Stats | null = null;
  private sectors: Sector[] = [];
  private rates: number[] = [];
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.refresh();
    if (session.canView("history")) void this.attemptRead(() => this.readHistory(), "history");
    this.timer = setInterval(() => document.hidden || void this.refresh(), REFRESH_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private refresh(): Promise<unknown> {
    if (!session.canView("system")) return Promise.resolve();
    return this.attempt(async () => {
      const [status, { receivers }] = await Promise.all([call("GET system/status"), call("GET system/receivers")]);
      this.status = status;
      this.receivers = receivers;
      this.rates = [...this.rates, status.message_rate].slice(-SAMPLES);
    });
  }

  private async readHistory(): Promise<void> {
    const [stats, { sectors }] = await Promise.all([call("GET history/stats"), call("GET history/coverage")]);
    this.stats = stats;
    this.sectors = sectors;
    await fetchOperators();
  }

  private tile(title: TextKey, value: string, more = ""): TemplateResult {
    return html`<div class="tile"><span>${t(title)}</span><b>${value}</b><small>${more}</small></div>`;
  }

  protected override render(): TemplateResult {
    return html`<div class="sheet"><header><h1>${t("nav.stats")}</h1></header>
      ${this.fault()}
      ${this.status ? this.now(this.status) : nothing}
      ${this.stats ? this.week(this.stats) : nothing}
      ${this.status ? this.health(this.status) : nothing}
    </div>`;
  }

  private now(status: Status): TemplateResult {
    return html`<div class="tiles">
      ${this.tile("stats.aircraft", number(status.aircraft), t("stats.with_position", { n: status.aircraft_with_position }))}
      <div class="tile"><span>${t("stats.rate")}</span><b>${number(status.message_rate)}</b><small>${t("stats.per_second")}</small>${spark(this.rates)}</div>
      ${this.tile("stats.messages", number(status.messages))}
      ${this.tile("stats.uptime", status.uptime_s === null ? "–" : since(status.uptime_s))}
    </div>`;
  }

  private week(stats: Stats): TemplateResult {
    const change = stats.change.flights;
    return html`<section class="section"><h2>${t("stats.week")}</h2>
      <div class="tiles">
        ${this.tile("stats.flights", number(stats.flights), typeof change === "number" ? t("stats.change", { change: `${change > 0 ? "+" : ""}${number(change)}` }) : "")}
        ${this.tile("stats.different", number(stats.aircraft))}
        ${this.tile("stats.farthest", measure("distance", stats.max_distance_nm))}
        ${this.tile("stats.highest", measure("altitude", stats.max_altitude_ft))}
        ${this.tile("stats.fastest", measure("speed", stats.max_speed_kt))}
        ${session.can("aircraft.view_military") ? this.tile("stats.military", number(stats.military_flights)) : nothing}
      </div>
      <div class="plots">
        <figure><figcaption>${t("stats.by_day")}</figcaption>${bars(stats.days.map(({ date, flights }) => [day(date), flights]))}</figure>
        <figure><figcaption>${t("stats.range")}</figcaption>${rose(this.sectors)}</figure>
        <figure><figcaption>${t("stats.types")}</figcaption>${ranking(stats.top_types.map(({ type, flights }) => [type, typeName(type), flights]))}</figure>
        <figure><figcaption>${t("stats.operators")}</figcaption>${ranking(stats.top_operators.map(({ operator, flights }) => [operator, operatorName(operator), flights]))}</figure>
      </div></section>`;
  }

  private health(status: Status): TemplateResult {
    return html`<section class="section"><h2>${t("stats.receivers")}</h2>
      <div class="scroll" tabindex="0"><table class="data narrow-cards"><thead><tr><th>${t("name")}</th><th>${t("kind")}</th><th>${t("stats.state")}</th><th class="number">${t("stats.rate")}</th><th class="number">${t("stats.positions")}</th><th>${t("panel.seen")}</th></tr></thead>
      <tbody>${this.receivers.map(
        (
          one,
        ) => html`<tr><td>${one.name}</td><td data-title=${t("kind")}>${one.kind}</td><td data-title=${t("stats.state")}><span class="tag ${one.state === "connected" || one.state === "listening" ? "good" : "warning"}">${word("receiver", one.state)}</span> ${saidIn(one, "last_error")}</td>
          <td class="number" data-title=${t("stats.rate")}>${number(one.message_rate ?? 0)}/s</td><td class="number" data-title=${t("stats.positions")}>${number(one.position_rate ?? 0)}/s</td><td data-title=${t("panel.seen")}>${one.last_message_at ? clock(one.last_message_at) : "–"}</td></tr>`,
      )}</tbody></table></div></section>
      <section class="section"><h2>${t("stats.health")}</h2><ul class="checks-list">${status.checks.map(
        (check) =>
          html`<li><span class="tag ${check.ok ? "good" : "danger"}">${check.ok ? t("stats.ok") : t("stats.fault")}</span> ${check.name} <small>${saidIn(check, "detail")}</small></li>`,
      )}</ul></section>`;
  }
}

/** The last values as a line, from the moment the page was opened. */
function spark(values: number[]): TemplateResult | typeof nothing {
  if (values.length < 3) return nothing;
  const most = Math.max(1, ...values);
  const points = values
    .map((value, at) => `${((at / (values.length - 1)) * 100).toFixed(1)},${(24 - (value / most) * 22).toFixed(1)}`)
    .join(" ");
  return html`<svg class="spark" viewBox="0 0 100 25" preserveAspectRatio="none" aria-hidden="true">${svg`<polyline points=${points} fill="none" stroke="var(--accent)" stroke-width="1.5" vector-effect="non-scaling-stroke" />`}</svg>`;
}

function bars(values: [string, number][]): TemplateResult {
  if (!values.length) return html`<p class="empty">–</p>`;
  const most = Math.max(1, ...values.map(([, value]) => value));
  const width = 320 / values.length;
  return html`<svg class="plot" viewBox="0 0 320 150" role="img" aria-label=${values.map(([name, value]) => `${name}: ${value}`).join(", ")}>
    ${values.map(([name, value], at) => {
      const height = (value / most) * 108;
      return svg`<rect x=${at * width + 3} y=${122 - height} width=${Math.min(44, width - 6)} height=${height} fill="var(--accent)" />
        <text x=${at * width + 3 + Math.min(44, width - 6) / 2} y="138" text-anchor="middle">${name}</text>
        <text x=${at * width + 3 + Math.min(44, width - 6) / 2} y=${116 - height} text-anchor="middle">${number(value)}</text>`;
    })}</svg>`;
}

function rose(sectors: Sector[]): TemplateResult {
  if (!sectors.length) return html`<p class="empty">–</p>`;
  const most = Math.max(1, ...sectors.map((sector) => sector.max_distance_nm ?? 0));
  const distances = sectors.map((sector) => sector.max_distance_nm);
  const outline = corners(distances, most, 100, 84).join(" ");
  return html`<svg class="plot rose" viewBox="0 0 200 200" role="img" aria-label=${t("stats.range_label", { distance: measure("distance", most) })}>
    ${svg`<circle cx="100" cy="100" r="84" /><circle cx="100" cy="100" r="42" /><path d="M100 10V190M10 100H190" />
      <polygon points=${outline} fill="var(--accent)" fill-opacity=".25" stroke="var(--accent)" stroke-width="1.5" />
      <text x="100" y="9" text-anchor="middle">N</text><text x="187" y="96" text-anchor="end">${measure("distance", most)}</text>`}
  </svg>`;
}

/** Codes with their names, where they have any, and how often each was there. */
function ranking(values: [code: string, name: string, value: number][]): TemplateResult {
  const most = Math.max(1, ...values.map(([, , value]) => value));
  return html`<ol class="ranking">${values.map(([code, name, value]) => html`<li><span class=${name ? "" : "mono"} title=${code}>${name || code}</span><meter min="0" max=${most} value=${value} aria-label=${name || code}></meter><b>${number(value)}</b></li>`)}</ol>`;
}

customElements.define("sw-stats", StatsPage);

// The station in figures: what it hears now, what it heard over the last days, and how its receivers are.
import { html, nothing, svg, type TemplateResult } from "lit";
import { corners } from "../../core/polar";
import { preferences } from "../../core/preferences";
import { curve, type Point } from "../../ui/curve";
import { nameOf } from "../../ui/flag";
import { bare, clock, day, measure, unit } from "../../ui/units";
import { number, saidIn, t, word, type TextKey } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { fetchOperators, operatorName, typeName } from "../../panel/names";
import { session } from "../../session/session";
import { download } from "../../session/download";
import { Task } from "../../session/task";
import { pageHead } from "../../shell/navigation";
import { simulatedSky } from "../../shell/simulated";

type Status = Schemas["SystemStatus"];
type Receiver = Schemas["ReceiverState"];
type Stats = Schemas["HistoryStatistics"];
type Sector = Schemas["CoverageSector"];
type Reception = Schemas["ReceptionOfDay"];

const REFRESH_MS = 10_000;
/** How often the curves of the day are read. */
const DAY_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

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
  private reception: Reception | null = null;
  private dayReadAt = -Infinity;
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
      const isDue = Date.now() - this.dayReadAt > DAY_EVERY_MS;
      const [status, { receivers }, reception] = await Promise.all([
        call("GET system/status"),
        call("GET system/receivers"),
        isDue ? call("GET system/reception") : this.reception,
      ]);
      this.status = status;
      this.receivers = receivers;
      this.reception = reception;
      if (isDue) this.dayReadAt = Date.now();
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
    return html`<div class="sheet">${pageHead("nav.stats")}
      ${this.fault()}
      ${simulatedSky(this.stats?.simulated ?? false)}
      ${this.status ? this.now(this.status) : nothing}
      ${this.stats ? this.week(this.stats) : nothing}
      ${this.status ? this.health(this.status) : nothing}
    </div>`;
  }

  private now(status: Status): TemplateResult {
    return html`<div class="tiles">
      ${this.tile("stats.aircraft", number(status.aircraft), t("stats.with_position", { n: status.aircraft_with_position }))}
      <div class="tile"><span>${t("stats.rate")}</span><b>${number(status.message_rate)}</b><small>${t("stats.per_second")}</small></div>
      ${this.tile("stats.messages", number(status.messages))}
      ${this.tile("stats.uptime", status.uptime_s === null ? "–" : since(status.uptime_s))}
    </div>
    ${this.reception ? this.day(this.reception, status) : nothing}`;
  }

  /** The last 24 hours, or what there is of them: slots, and what is heard at this moment. */
  private day({ slots, slot_s }: Reception, status: Status): TemplateResult {
    const now = Date.now();
    const points = (value: (slot: Reception["slots"][number]) => number, present: number): Point[] => [
      ...slots.map((slot) => ({ at: Date.parse(slot.at), value: value(slot) })).filter(({ at }) => at < now),
      { at: now, value: present },
    ];
    const stepMs = slot_s * 1000;
    return html`<section class="section"><h2>${t("stats.day")}</h2><div class="plots">
      ${curve(
        t("stats.located"),
        "",
        points((slot) => slot.aircraft, status.aircraft_with_position),
        stepMs,
        now,
      )}
      ${curve(
        t("stats.rate"),
        t("stats.per_second"),
        points((slot) => slot.messages_s, status.message_rate),
        stepMs,
        now,
      )}
    </div></section>`;
  }

  private week(stats: Stats): TemplateResult {
    const change = stats.change.flights;
    const save = (): void => void download("GET history/stats/export", {}, "skywatch-statistics.csv");
    return html`<section class="section"><h2>${t("stats.week")}
        ${session.can("history.export") ? html`<button class="plain link" @click=${save}>${t("stats.export")}</button>` : nothing}</h2>
      <div class="tiles">
        ${this.tile("stats.flights", number(stats.flights), typeof change === "number" ? t("stats.change", { change: `${change > 0 ? "+" : ""}${number(change)}` }) : "")}
        ${this.tile("stats.different", number(stats.aircraft))}
        ${this.tile("stats.farthest", measure("distance", stats.max_distance_nm))}
        ${this.tile("stats.highest", measure("altitude", stats.max_altitude_ft))}
        ${this.tile("stats.fastest", measure("speed", stats.max_speed_kt))}
        ${session.can("aircraft.view_military") ? this.tile("stats.military", number(stats.military_flights)) : nothing}
      </div>
      <div class="plots">
        <figure class="wide"><figcaption>${t("stats.by_day")}</figcaption>${bars(everyDay(stats))}</figure>
        <figure><figcaption>${t("stats.by_altitude")}</figcaption>${ranking(stats.altitudes.map((one) => [bandOf(one), bandOf(one), one.flights]))}</figure>
        <figure class="wide"><figcaption>${t("stats.by_hour")}</figcaption>${bars(byHour(stats.hours))}</figure>
        <figure><figcaption>${t("stats.range")}</figcaption>${rose(this.sectors)}</figure>
        <figure><figcaption>${t("stats.types")}</figcaption>${ranking(stats.top_types.map(({ type, flights }) => [type, typeName(type), flights]))}</figure>
        <figure><figcaption>${t("stats.operators")}</figcaption>${ranking(stats.top_operators.map(({ operator, flights }) => [operator, operatorName(operator), flights]))}</figure>
        <figure><figcaption>${t("stats.countries")}</figcaption>${ranking(stats.top_countries.map(({ country, flights }) => [country, nameOf(country), flights]))}</figure>
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
      ${session.can("system.manage") ? this.checks(status) : nothing}`;
  }

  /** What is inside of the service is for those who look after it: what does not work; the console words all of it. */
  private checks({ checks }: Status): TemplateResult {
    const faults = checks.filter(({ ok }) => !ok);
    return html`<section class="section"><h2>${t("stats.health")}</h2>
      ${
        faults.length
          ? html`<ul class="checks-list">${faults.map(
              (check) =>
                html`<li><span class="tag danger">${t("stats.fault")}</span> ${check.name} <small>${saidIn(check, "detail")}</small></li>`,
            )}</ul>`
          : html`<p><span class="tag good">${t("stats.ok")}</span> ${t("stats.all_good", { n: checks.length })}</p>`
      }
      <p><a href="console/health">${t("stats.each_check")}</a></p></section>`;
  }
}

/** The flights of each day of the span, those without any among them. */
function everyDay({ from, to, days }: Stats): [string, number][] {
  const flights = new Map(days.map((one) => [one.date, one.flights]));
  const last = Date.parse(to.slice(0, 10));
  const dates: string[] = [];
  for (let at = Date.parse(from.slice(0, 10)); at <= last; at += DAY_MS)
    dates.push(new Date(at).toISOString().slice(0, 10));
  return dates.map((date) => [day(date), flights.get(date) ?? 0]);
}

/** The flights of the 24 hours of the day, in the reader's time. */
function byHour(counts: readonly number[]): [string, number][] {
  const shift = Math.round(new Date().getTimezoneOffset() / 60);
  return counts.map((_, hour) => [String(hour), counts[(hour + shift + 24) % 24]]);
}

/** A band of altitude in the reader's unit. */
function bandOf({ min_altitude_ft: low, max_altitude_ft: high }: Stats["altitudes"][number]): string {
  return high === null
    ? `≥\u00a0${measure("altitude", low)}`
    : `${bare("altitude", low)}\u2013${bare("altitude", high)}\u00a0${unit("altitude")}`;
}

function bars(values: [string, number][]): TemplateResult {
  if (!values.length) return html`<p class="empty">–</p>`;
  const most = Math.max(1, ...values.map(([, value]) => value));
  const width = 320 / values.length;
  const thick = Math.min(44, width * 0.86);
  // Of many bars some are named, and the highest alone has its number: they would touch.
  const isFew = values.length <= 8;
  const each = Math.ceil(values.length / 6);
  return html`<svg class="plot" viewBox="0 0 320 150" role="img" aria-label=${values.map(([name, value]) => `${name}: ${value}`).join(", ")}>
    ${values.map(([name, value], at) => {
      const height = (value / most) * 108;
      const middle = (at + 0.5) * width;
      const isNamed = (isFew ? values.length - 1 - at : at) % each === 0;
      return svg`<rect x=${middle - thick / 2} y=${122 - height} width=${thick} height=${height} fill="var(--accent)" />
        ${isNamed ? svg`<text x=${middle} y="138" text-anchor="middle">${name}</text>` : nothing}
        ${isFew || (value === most && values.findIndex((one) => one[1] === most) === at) ? svg`<text x=${middle} y=${116 - height} text-anchor="middle">${number(value)}</text>` : nothing}`;
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

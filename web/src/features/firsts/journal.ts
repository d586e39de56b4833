// The journal: a day of the station, what was new on it, and which records it set.
import { html, nothing, type TemplateResult } from "lit";
import { format, note, route } from "../../core/address";
import { preferences } from "../../core/preferences";
import { locale, number, t, word } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task } from "../../session/task";
import { nameOf } from "../../ui/flag";

type Day = Schemas["Journal"];
type First = Schemas["First"];

const DAY_MS = 86_400_000;
const REFRESH_MS = 60_000;
/** So many airframes are named at most. */
const MOST = 1_000;
/** What is rare comes first. */
const KINDS = ["type", "operator", "country", "airframe"] as const;

class JournalPage extends Task {
  private day: Day | null = null;
  /** The day of the station when this page was read first. */
  private today = "";
  private shown: string | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(route, session.user, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(
      () => document.hidden || this.asked || void this.attemptRead(() => this.read()),
      REFRESH_MS,
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  /** The day in the address; empty for today, and where it is none. */
  private get asked(): string {
    const { day } = route.value.query;
    return day && !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) ? day : "";
  }

  protected override willUpdate(): void {
    if (this.asked === this.shown) return;
    this.shown = this.asked;
    this.hasRead = false;
    this.day = null;
    void this.attemptRead(() => this.read());
  }

  private async read(): Promise<void> {
    const { asked } = this;
    const day = await call("GET journal", { query: asked ? { day: asked } : {} });
    if (asked !== this.asked) return;
    this.day = day;
    if (!asked) this.today = day.day;
  }

  private choose(day: string): void {
    note({ day: day && day !== this.today ? day : null });
  }

  protected override render(): TemplateResult {
    const day = this.day?.day ?? this.asked;
    const last = this.today || new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    return html`<div class="sheet"><header><h1>${t("nav.journal")}</h1></header>
      <div class="journal-bar">
        <button aria-label=${t("journal.before")} title=${t("journal.before")} ?disabled=${!day} @click=${() => this.choose(moved(day, -1))}>‹</button>
        <label><span class="visually-hidden">${t("journal.day")}</span><input type="date" max=${last} .value=${day} @change=${(event: Event) => this.choose((event.target as HTMLInputElement).value)} /></label>
        <button aria-label=${t("journal.after")} title=${t("journal.after")} ?disabled=${!day || day >= last} @click=${() => this.choose(moved(day, 1))}>›</button>
        ${this.asked ? html`<button @click=${() => this.choose("")}>${t("journal.today")}</button>` : nothing}
        <a href="#/records">${t("nav.records")}</a>
      </div>${this.fault()}
      ${this.day ? this.content(this.day) : this.emptyList("")}</div>`;
  }

  private content(day: Day): TemplateResult {
    const { timezone } = day;
    const count = day.new.filter(({ kind }) => kind === "airframe").length;
    const more = count < MOST ? "" : "+";
    const figures: [string, string][] = [
      [t("journal.flights"), number(day.flights)],
      [t("journal.airframes"), number(day.airframes)],
      [t("journal.never_before"), `${number(count)}${more}`],
      ...(day.military_share === null
        ? []
        : [[t("journal.military"), percent(day.military_share)] as [string, string]]),
      ...(day.first === null || day.last === null
        ? []
        : ([
            [t("journal.first"), hour(day.first, timezone)],
            [t("journal.last"), hour(day.last, timezone)],
          ] as [string, string][])),
    ];
    return html`<p class="journal-day">${written(day.day)}</p>
      ${
        day.flights === 0 && day.new.length === 0
          ? this.emptyList(t("journal.nothing"))
          : html`<dl class="journal-figures">${figures.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`
      }
      ${day.records.length ? html`<section class="section"><h2>${t("journal.records")}</h2><ul class="journal-records">${day.records.map((name) => html`<li><a href="#/records">${word("record", name)}</a></li>`)}</ul></section>` : nothing}
      ${KINDS.map((kind) =>
        this.kind(
          kind,
          day.new.filter((one) => one.kind === kind),
          timezone,
        ),
      )}
      <p class="hint">${t("journal.zone", { zone: timezone })}</p>`;
  }

  private kind(kind: First["kind"], firsts: First[], zone: string): TemplateResult | typeof nothing {
    if (!firsts.length) return nothing;
    return html`<section class="section"><h2>${word("first", kind)}</h2>
      <ul class="first-list">${firsts.map(
        (first) =>
          html`<li><time datetime=${first.at}>${hour(first.at, zone)}</time><b class=${kind === "country" ? "" : "mono"}>${kind === "country" ? nameOf(first.key) : first.key}</b><span>${first.name ?? ""}</span>${flight(first)}</li>`,
      )}</ul></section>`;
  }
}

/** The flight in history, else the name alone. */
function flight({ icao_hex, callsign, flight_id }: First): TemplateResult {
  const name = callsign ?? icao_hex;
  return flight_id === null
    ? html`<small class="mono">${name}</small>`
    : html`<a class="mono" href=${format({ page: "history", query: { flight: String(flight_id), icao_hex } })}>${name}</a>`;
}

/** The day so many days later. */
function moved(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function written(day: string): string {
  const options: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
  return new Date(`${day}T12:00:00Z`).toLocaleDateString(locale(), { ...options, timeZone: "UTC" });
}

/** A time of day at the station. */
function hour(at: string, timeZone: string): string {
  return new Date(at).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
}

function percent(share: number): string {
  return `${number(share * 100, share > 0 && share < 0.1 ? 1 : 0)} %`;
}

customElements.define("sw-journal", JournalPage);

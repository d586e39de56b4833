// Who flew low over a geofence: hours, days and types as charts, the flights, files, and reports on a schedule.
import { html, nothing, type TemplateResult } from "lit";
import { format, note, route } from "../../core/address";
import { preferences } from "../../core/preferences";
import { number, t, type TextKey } from "../../i18n/i18n";
import { call } from "../../session/api";
import { download } from "../../session/download";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task, all } from "../../session/task";
import { clock, day, measure } from "../../ui/units";
import { bars, outline, ranking } from "./charts";
import "./reports";

type Overflights = Schemas["Overflights"];
type Fence = Schemas["GeofenceRecord"];

const DAY_MS = 86_400_000;
const SPANS = [1, 7, 31, 92];
const DEFAULTS = { days: "7", below: "3000" };
const PAGE = 50;
const TYPES_SHOWN = 10;

/** The end of the question that is being answered. */
let running: Promise<unknown> | null = null;

class OverflightsPage extends Task {
  private fences: Fence[] = [];
  private answer: Overflights | null = null;
  private asked = "";
  private span: { from: string; to: string } | null = null;

  constructor() {
    super();
    this.watch(route, session.user, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(async () => {
      this.fences = session.can("alerts.view") ? await all("GET alerts/geofences/", "geofences") : [];
    });
  }

  private get fence(): number | null {
    const chosen = Number(route.value.query.geofence);
    return this.fences.some(({ id }) => id === chosen) ? chosen : (this.fences[0]?.id ?? null);
  }

  private get below(): number {
    const value = Number(route.value.query.below ?? DEFAULTS.below);
    return value >= 1 && value <= 100_000 ? value : Number(DEFAULTS.below);
  }

  private get days(): number {
    const value = Number(route.value.query.days ?? DEFAULTS.days);
    return SPANS.includes(value) ? value : Number(DEFAULTS.days);
  }

  private get over(): "ground" | "sea" {
    return route.value.query.over === "ground" ? "ground" : "sea";
  }

  private get offset(): number {
    return Math.max(0, Math.trunc(Number(route.value.query.offset ?? 0)) || 0);
  }

  protected override willUpdate(): void {
    const { fence, below, days, over, offset } = this;
    const question = JSON.stringify([fence, below, days, over]);
    const wanted = `${question} ${offset}`;
    if (!this.hasRead || fence === null || wanted === this.asked) return;
    if (!this.asked.startsWith(`${question} `)) {
      const now = Date.now();
      this.span = { from: new Date(now - days * DAY_MS).toISOString(), to: new Date(now).toISOString() };
      this.answer = null;
    }
    this.asked = wanted;
    void this.attemptRead(async () => {
      // The service answers one such question of a person at a time, and goes on with one whose page was left.
      while (running) await running;
      if (this.asked !== wanted || !this.isConnected) return;
      const asking = call("GET overflights", { query: { ...this.question(fence), limit: PAGE, offset } });
      running = asking.catch(() => undefined).then(() => (running = null));
      const answer = await asking;
      if (this.asked === wanted) this.answer = answer;
    }, "flights");
  }

  private question(geofence: number): {
    geofence: number;
    below_ft: number;
    over: "ground" | "sea";
    from: string;
    to: string;
  } {
    return { geofence, below_ft: this.below, over: this.over, ...this.span! };
  }

  private readonly choose = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    note({
      geofence: String(form.get("geofence")),
      below: String(form.get("below")),
      days: String(form.get("days")),
      over: form.get("over") ? "ground" : null,
      offset: null,
    });
  };

  private save(ending: "csv" | "pdf"): void {
    const { fence } = this;
    if (fence === null || !this.span) return;
    const name = `overflights-${this.span.to.slice(0, 10)}.${ending}`;
    void download("GET overflights", { query: { ...this.question(fence), format: ending } }, name);
  }

  protected override render(): TemplateResult {
    return html`<div class="sheet overflights"><header><h1>${t("nav.overflights")}</h1></header>
      ${this.fault()}
      ${
        this.fences.length
          ? html`${this.form()}${this.answer ? this.content(this.answer) : this.error ? nothing : html`<p class="empty" role="status">${t("loading")}</p>`}`
          : this.emptyList(
              html`${t("overflights.no_geofence")} ${session.can("alerts.create") ? html`<a href="#/alerts?tab=geofences&id=new">${t("overflights.new_geofence")}</a>` : nothing}`,
            )
      }
      ${session.user.value && this.fences.length ? html`<sw-overflight-reports .fences=${this.fences}></sw-overflight-reports>` : nothing}</div>`;
  }

  private form(): TemplateResult {
    return html`<form class="toolbar" @submit=${this.choose} @change=${(event: Event) => (event.currentTarget as HTMLFormElement).requestSubmit()}>
      <label><span>${t("overflights.area")}</span><select name="geofence">${this.fences.map(({ id, name }) => html`<option value=${id} ?selected=${id === this.fence}>${name}</option>`)}</select></label>
      <label><span>${t("overflights.below")}</span><input name="below" type="number" min="1" max="100000" required .value=${String(this.below)} /></label>
      <label><span>${t("overflights.span")}</span><select name="days">${SPANS.map((days) => html`<option value=${days} ?selected=${days === this.days}>${t("overflights.days", { n: days })}</option>`)}</select></label>
      <label class="check"><input name="over" type="checkbox" .checked=${this.over === "ground"} /><span>${t("overflights.over_ground")}</span></label>
    </form>`;
  }

  private content(answer: Overflights): TemplateResult {
    const share = answer.night_share === null ? "–" : `${number(Math.round(answer.night_share * 100))} %`;
    const figures: [TextKey, string][] = [
      ["overflights.flights", number(answer.count)],
      ["overflights.at_night", share],
      ...(answer.over === "ground"
        ? ([["overflights.ground_at", measure("altitude", answer.elevation_ft)]] as [TextKey, string][])
        : []),
    ];
    const hours = answer.by_hour.map((value, hour) => ({ label: String(hour), value, title: `${hour}:00` }));
    const days = answer.by_day.map((one) => ({
      label: one.day.slice(8),
      value: one.flights,
      dark: one.night,
      title: day(one.day),
    }));
    return html`${answer.simulated ? html`<p class="hint" role="status">${t("overflights.simulated")}</p>` : nothing}
      <div class="overflight-head">${outline(answer.area.geometry, answer.area, answer.area.name ?? "")}
        <dl>${figures.map(([title, value]) => html`<div><dt>${t(title)}</dt><dd>${value}</dd></div>`)}</dl></div>
      <p class="overflight-files"><button @click=${() => this.save("csv")}>CSV</button> <button @click=${() => this.save("pdf")}>PDF</button></p>
      <h2>${t("overflights.by_hour")}</h2>${bars(t("overflights.by_hour"), hours, 3)}
      ${days.length > 1 ? html`<h2>${t("overflights.by_day")}</h2>${bars(t("overflights.by_day"), days, Math.ceil(days.length / 12))}` : nothing}
      <h2>${t("overflights.by_type")}</h2>${answer.by_type.length ? ranking(answer.by_type, TYPES_SHOWN) : html`<p class="empty">${t("overflights.none")}</p>`}
      ${answer.flights.length ? this.list(answer) : nothing}
      <p class="hint">${t("overflights.zone", { zone: answer.timezone })}</p>`;
  }

  private list(answer: Overflights): TemplateResult {
    return html`<h2>${t("overflights.flights")}</h2><table class="overflight-list">
      <thead><tr><th scope="col">${t("overflights.entered")}</th><th scope="col">${t("overflights.flight")}</th><th scope="col" class="wide">${t("overflights.type")}</th><th scope="col">${t("overflights.lowest")}</th><th scope="col" class="wide">${t("overflights.closest")}</th></tr></thead>
      <tbody>${answer.flights.map(
        (one) =>
          html`<tr class=${one.at_night ? "night" : ""}><td>${clock(one.entered_at, true)}</td><td class="mono"><a href=${format({ page: "history", query: { flight: String(one.flight_id), icao_hex: one.icao_hex } })}>${one.callsign ?? one.icao_hex}</a></td><td class="wide">${one.type ?? ""}</td><td>${measure("altitude", one.lowest_ft)}</td><td class="wide">${measure("distance", one.closest_nm, 1)}</td></tr>`,
      )}</tbody></table>
      ${
        answer.previous || answer.next
          ? html`<p class="overflight-pages"><button ?disabled=${!answer.previous} @click=${() => note({ offset: String(Math.max(0, this.offset - PAGE)) })}>${t("overflights.newer")}</button> <button ?disabled=${!answer.next} @click=${() => note({ offset: String(this.offset + PAGE) })}>${t("overflights.older")}</button></p>`
          : nothing
      }`;
  }
}

customElements.define("sw-overflights", OverflightsPage);

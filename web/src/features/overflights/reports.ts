// The reports of the caller: created, changed, deleted, and their editions to read and to save.
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { preferences } from "../../core/preferences";
import { number, t, word } from "../../i18n/i18n";
import { call } from "../../session/api";
import { download } from "../../session/download";
import type { Schemas } from "../../session/operations";
import { Task, all } from "../../session/task";
import { clock, measure } from "../../ui/units";

type Report = Schemas["ReportRecord"];
type Edition = Schemas["EditionRecord"];
type Channel = Schemas["ChannelRecord"];
type Fence = Schemas["GeofenceRecord"];

const PERIODS = ["day", "week", "month"] as const;

class OverflightReports extends Task {
  static override properties: PropertyDeclarations = { fences: { attribute: false } };
  declare fences: Fence[];
  protected override readonly fields = ["name", "geofence", "below_ft", "channels"];
  private reports: Report[] = [];
  private channels: Channel[] = [];
  private editions = new Map<number, Edition[]>();
  /** The report that is edited; without an id a new one. */
  private draft: Partial<Report> | null = null;

  constructor() {
    super();
    this.watch(preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
  }

  private async read(): Promise<void> {
    [this.reports, this.channels] = await Promise.all([
      all("GET reports", "reports"),
      all("GET alerts/channels/", "channels"),
    ]);
  }

  private edit(draft: Partial<Report> | null): void {
    this.draft = draft;
    this.faults = {};
    this.error = "";
    this.requestUpdate();
  }

  private readonly save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const id = this.draft?.id;
    const body = {
      name: String(form.get("name")),
      geofence: Number(form.get("geofence")),
      below_ft: Number(form.get("below_ft")),
      every: String(form.get("every")) as (typeof PERIODS)[number],
      over: form.get("over") ? ("ground" as const) : ("sea" as const),
      channels: form.getAll("channels").map(Number),
    };
    const isDone = await this.attempt(async () => {
      if (id === undefined) await call("POST reports", { body });
      else await call("PATCH reports/{id}", { path: { id }, body });
      await this.read();
    });
    if (isDone) this.edit(null);
  };

  private discard(report: Report): void {
    if (!confirm(t("overflights.confirm_delete", { name: report.name }))) return;
    void this.attempt(async () => {
      await call("DELETE reports/{id}", { path: { id: report.id } });
      await this.read();
    });
  }

  private toggle(report: Report): void {
    if (this.editions.delete(report.id)) {
      this.requestUpdate();
      return;
    }
    void this.attempt(async () => {
      const answer = await call("GET reports/{id}/editions", { path: { id: report.id }, query: { limit: 100 } });
      this.editions.set(report.id, answer.editions);
    });
  }

  protected override render(): TemplateResult {
    return html`<section class="overflight-reports"><h2>${t("overflights.reports")}</h2>
      <p class="hint">${t("overflights.reports_hint")}</p>${this.fault()}
      ${this.reports.length ? html`<ul>${this.reports.map((report) => this.entry(report))}</ul>` : this.emptyList(t("overflights.no_reports"))}
      ${
        this.draft && this.draft.id === undefined
          ? this.form(this.draft)
          : html`<button @click=${() => this.edit({})}>${t("overflights.new_report")}</button>`
      }</section>`;
  }

  private entry(report: Report): TemplateResult {
    const fence = this.fences.find(({ id }) => id === report.geofence);
    const editions = this.editions.get(report.id);
    if (this.draft?.id === report.id) return html`<li>${this.form(this.draft)}</li>`;
    return html`<li><div><b>${report.name}</b> <small>${fence?.name ?? ""}, ${measure("altitude", report.below_ft)}, ${word("period", report.every)}; ${t("overflights.next", { at: clock(report.next_at, true) })}</small></div>
      <div class="actions"><button aria-expanded=${editions ? "true" : "false"} @click=${() => this.toggle(report)}>${t("overflights.editions")}</button> <button @click=${() => this.edit(report)}>${t("edit")}</button> <button class="danger" @click=${() => this.discard(report)}>${t("delete")}</button></div>
      ${editions ? (editions.length ? html`<ul class="editions">${editions.map((edition) => this.edition(edition))}</ul>` : html`<p class="empty">${t("overflights.no_editions")}</p>`) : nothing}</li>`;
  }

  private edition(edition: Edition): TemplateResult {
    const save = (ending: "csv" | "pdf"): void =>
      void download(
        "GET editions/{id}",
        { path: { id: edition.id }, query: { format: ending } },
        `overflights-${edition.to.slice(0, 10)}.${ending}`,
      );
    const share =
      edition.night_share === null
        ? ""
        : `, ${t("overflights.at_night")} ${number(Math.round(edition.night_share * 100))} %`;
    return html`<li><span>${clock(edition.from, true)} – ${clock(edition.to, true)}: ${number(edition.count)}${share}</span> <button @click=${() => save("csv")}>CSV</button> <button @click=${() => save("pdf")}>PDF</button></li>`;
  }

  private form(draft: Partial<Report>): TemplateResult {
    const { name = "", geofence, below_ft = 3_000, over, every, channels = [] } = draft;
    return html`<form class="form" @submit=${this.save}>
      <label><span>${t("overflights.name")}</span><input name="name" required maxlength="120" .value=${name} autocomplete="off" aria-invalid=${this.invalid("name")} /></label>${this.faultBelow("name")}
      <label><span>${t("overflights.area")}</span><select name="geofence">${this.fences.map((fence) => html`<option value=${fence.id} ?selected=${fence.id === geofence}>${fence.name}</option>`)}</select></label>${this.faultBelow("geofence")}
      <label><span>${t("overflights.below")}</span><input name="below_ft" type="number" min="1" max="100000" .value=${String(below_ft)} required /></label>${this.faultBelow("below_ft")}
      <label class="check"><input name="over" type="checkbox" .checked=${over === "ground"} /><span>${t("overflights.over_ground")}</span></label>
      <label><span>${t("overflights.every")}</span><select name="every">${PERIODS.map((period) => html`<option value=${period} ?selected=${period === every}>${word("period", period)}</option>`)}</select></label>
      ${this.channels.length ? html`<fieldset><legend>${t("overflights.channels")}</legend>${this.channels.map(({ id, name: title }) => html`<label class="check"><input name="channels" type="checkbox" value=${id} .checked=${channels.includes(id)} /><span>${title}</span></label>`)}</fieldset>${this.faultBelow("channels")}` : nothing}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${t(draft.id === undefined ? "overflights.create" : "save")}</button><button type="button" @click=${() => this.edit(null)}>${t("cancel")}</button></div>
    </form>`;
  }
}

customElements.define("sw-overflight-reports", OverflightReports);

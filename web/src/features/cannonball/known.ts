// The list of known law-enforcement aircraft: search it, and keep it where that is allowed.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { clock } from "../../ui/units";
import { number, t, word, type TextKey } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Body, Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { typeWords } from "../../panel/names";
import { inform } from "../../ui/announce";
import { Task } from "../../session/task";
import { importLink } from "./list_offer";

type Known = Schemas["KnownEntry"];

const TYPES = ["federal", "state", "local", "military", "unknown"];
const SOURCES = ["faa", "opensky", "manual", "community", "research"];
const PAGE = 50;

class KnownPage extends Task {
  protected override readonly fields = [
    "icao_hex",
    "registration",
    "aircraft_type",
    "aircraft_model",
    "agency_name",
    "agency_city",
    "agency_state",
    "source_url",
    "notes",
  ];
  private entries: Known[] = [];
  private count = 0;
  private verified = 0;
  private offset = 0;
  private edited: Partial<Known> | null = null;

  constructor() {
    super();
    this.watch(route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    const { add, registration, aircraft_type } = route.value.query;
    if (add && this.isManager) void this.begin(add, { registration, aircraft_type });
  }

  /** Open the form about an aircraft: with what is stored of it where it is on the list already. */
  private async begin(hex: string, known: Partial<Known>): Promise<void> {
    note({ add: null, registration: null, aircraft_type: null });
    const begun = { icao_hex: hex, ...known };
    this.edit(begun);
    await this.attempt(async () => {
      const { aircraft } = await call("GET cannonball/known-aircraft/", { query: { search: hex, limit: 1 } });
      const [entry] = aircraft.filter(({ icao_hex }) => icao_hex === hex);
      if (entry && this.edited === begun) this.edit(entry);
    });
  }

  private emptyText(): string | TemplateResult {
    if (Object.values(route.value.query).some(Boolean)) return t("known.none");
    return this.isManager ? html`${t("known.begin")} ${importLink()}` : t("known.nothing");
  }

  private get isManager(): boolean {
    return session.can("cannonball.manage");
  }

  private async read(): Promise<void> {
    const { search, agency_type, agency_state, source, verified } = route.value.query;
    const query = { search, agency_type, agency_state, source, verified, limit: PAGE, offset: this.offset };
    const answer = await this.asList(call("GET cannonball/known-aircraft/", { query }));
    this.entries = answer.aircraft;
    this.count = answer.count;
    this.verified = answer.verified_count;
  }

  private readonly search = (event: Event): void => {
    event.preventDefault();
    const form = new FormData((event.currentTarget as HTMLElement).closest("form")!);
    note(Object.fromEntries([...form].map(([name, value]) => [name, String(value).trim()])));
    this.offset = 0;
    void this.attemptRead(() => this.read());
  };

  private page(step: number): void {
    this.offset = Math.max(0, this.offset + step * PAGE);
    void this.attemptRead(() => this.read());
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const { id } = this.edited!;
    // Of a new entry the service derives what is left empty; an empty text takes away what is stored.
    const texts = [...form].filter(([name, value]) => !["icao_hex", "verified"].includes(name) && (id || value));
    const body: Body<"PATCH cannonball/known-aircraft/{id}/"> = {
      ...Object.fromEntries(texts.map(([name, value]) => [name, String(value).trim()])),
      verified: form.has("verified"),
    };
    void this.attempt(async () => {
      if (id) await call("PATCH cannonball/known-aircraft/{id}/", { path: { id }, body });
      else
        await call("POST cannonball/known-aircraft/", {
          body: { ...body, icao_hex: String(form.get("icao_hex")).trim() },
        });
      this.edited = null;
      inform(t("saved"));
      await this.read();
    });
  };

  private takeOff(entry: Known): void {
    if (!confirm(t("known.remove_sure", { name: entry.registration ?? entry.icao_hex }))) return;
    void this.attempt(async () => {
      await call("DELETE cannonball/known-aircraft/{id}/", { path: { id: entry.id } });
      await this.read();
    });
  }

  private options(values: string[], chosen: string | undefined, group: string): TemplateResult {
    return html`<option value="">${t("filter.all")}</option>${values.map((value) => html`<option value=${value} ?selected=${value === chosen}>${word(group, value)}</option>`)}`;
  }

  protected override render(): TemplateResult {
    const { query } = route.value;
    return html`<div class="sheet"><header><h1>${t("nav.known")}</h1><p role="status">${t("known.count", { n: this.count })} · ${t("known.verified_count", { n: this.verified })}</p></header>
      <form class="toolbar" @submit=${this.search} role="search">
        <label class="wide"><span>${t("known.search")}</span><input name="search" type="search" .value=${query.search ?? ""} /></label>
        <label><span>${t("known.agency_type")}</span><select name="agency_type" @change=${this.search}>${this.options(TYPES, query.agency_type, "agency")}</select></label>
        <label><span>${t("known.state")}</span><input name="agency_state" maxlength="2" .value=${query.agency_state ?? ""} /></label>
        <label><span>${t("known.source")}</span><select name="source" @change=${this.search}>${this.options(SOURCES, query.source, "source")}</select></label>
        <label><span>${t("known.verified")}</span><select name="verified" @change=${this.search}>${this.options(["true", "false"], query.verified, "yes")}</select></label>
        <button class="primary">${t("search")}</button>
        ${this.isManager ? html`<button type="button" @click=${() => this.edit({})}>${t("known.add")}</button>` : nothing}
      </form>
      ${this.edited ? this.editor(this.edited) : this.fault()}
      ${this.entries.length ? this.table() : this.emptyList(this.emptyText())}
      <div class="toolbar">
        ${this.offset > 0 ? html`<button @click=${() => this.page(-1)}>${t("known.previous")}</button>` : nothing}
        ${this.offset + PAGE < this.count ? html`<button @click=${() => this.page(1)}>${t("known.next")}</button>` : nothing}
      </div>
    </div>`;
  }

  private edit(entry: Partial<Known> | null): void {
    this.edited = entry;
    this.error = "";
    this.faults = {};
    this.requestUpdate();
  }

  private table(): TemplateResult {
    return html`<div class="scroll" tabindex="0"><table class="data narrow-cards"><thead><tr><th>${t("column.hex")}</th><th>${t("column.registration")}</th><th>${t("column.type")}</th><th>${t("known.agency")}</th><th>${t("known.where")}</th><th>${t("known.source")}</th><th class="number">${t("known.detected")}</th>${this.isManager ? html`<th></th>` : nothing}</tr></thead>
      <tbody>${this.entries.map(
        (entry) => html`<tr>
          <td class="mono"><a href="#/map?hex=${entry.icao_hex.toLowerCase()}">${entry.icao_hex}</a></td><td class="mono" data-title=${t("column.registration")}>${entry.registration ?? "–"}</td>
          <td data-title=${t("column.type")}>${entry.aircraft_type ?? ""} <small>${typeWords(entry.aircraft_type, entry.aircraft_model)}</small></td>
          <td data-title=${t("known.agency")}>${entry.agency_name ?? "–"} ${entry.verified ? html`<span class="tag good">${t("known.verified")}</span>` : nothing}<br /><small>${word("agency", entry.agency_type)}</small>${entry.notes ? html`<p class="notes">${entry.notes}</p>` : nothing}</td>
          <td data-title=${t("known.where")}>${[entry.agency_city, entry.agency_state].filter(Boolean).join(", ")}</td><td data-title=${t("known.source")}>${source(entry)}</td>
          <td class="number" data-title=${t("known.detected")}>${number(entry.times_detected)}<br /><small>${entry.last_detected ? clock(entry.last_detected, true) : ""}</small></td>
          ${this.isManager ? html`<td class="row-actions"><button @click=${() => this.edit(entry)}>${t("edit")}</button> <button class="danger" @click=${() => this.takeOff(entry)}>${t("remove")}</button></td>` : nothing}
        </tr>`,
      )}</tbody></table></div>`;
  }

  private editor(entry: Partial<Known>): TemplateResult {
    const field = (name: keyof Known, title: TextKey, more = ""): TemplateResult =>
      html`<label><span>${t(title)}</span><input name=${name} .value=${String(entry[name] ?? "")} ?required=${name === "icao_hex"} ?disabled=${name === "icao_hex" && entry.id !== undefined} placeholder=${more} aria-invalid=${this.invalid(name)} />${this.faultBelow(name)}</label>`;
    return html`<form class="form editor" @submit=${this.save}>
      ${field("icao_hex", "column.hex")}${field("registration", "column.registration")}${field("aircraft_type", "column.type")}${field("aircraft_model", "known.model")}
      ${field("agency_name", "known.agency")}<label><span>${t("known.agency_type")}</span><select name="agency_type">${TYPES.map((type) => html`<option value=${type} ?selected=${type === (entry.agency_type ?? "unknown")}>${word("agency", type)}</option>`)}</select></label>
      ${field("agency_city", "known.city")}${field("agency_state", "known.state")}${field("source_url", "known.source_url", "https://")}<label class="wide"><span>${t("known.notes")}</span><textarea name="notes" rows="3" .value=${entry.notes ?? ""} aria-invalid=${this.invalid("notes")}></textarea>${this.faultBelow("notes")}</label>
      <label class="check"><input type="checkbox" name="verified" ?checked=${entry.verified ?? false} /> ${t("known.verified")}</label>
      <div class="wide">${this.fault()}</div>
      <div class="actions"><button class="primary">${t("save")}</button><button type="button" @click=${() => this.edit(null)}>${t("cancel")}</button></div>
    </form>`;
  }
}

/** Where an entry comes from, as a link where it names an address; only the web's own schemes are followed. */
function source({ source: kind, source_url: address }: Known): TemplateResult {
  const name = word("source", kind);
  return /^https?:/i.test(address ?? "")
    ? html`<a href=${address!} target="_blank" rel="noopener noreferrer">${name}</a>`
    : html`${name}`;
}

customElements.define("sw-known", KnownPage);

// Watch lists: addresses, registrations and callsigns, typed in or taken from a file.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { t } from "../../i18n/i18n";
import { call } from "../../session/api";
import { inform } from "../../ui/announce";
import { icon } from "../../ui/icons";
import { Task, all } from "../../session/task";
import { go } from "./address";
import { may, type Watchlist } from "./types";

/** A longer list is not put into a text field: it is carried as files. */
const MAX_TYPED = 5000;

class Watchlists extends Task {
  protected override readonly fields = ["name", "entries"];
  private lists: Watchlist[] = [];
  private draft: { id: number | null; name: string; text: string | null; count: number } | null = null;
  private stop: (() => void) | null = null;

  constructor() {
    super();
    this.watch(route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stop = route.subscribe(() => void this.choose());
    void this.attemptRead(() => this.read());
  }

  protected override afterRead(): void {
    void this.choose();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.();
  }

  private async read(): Promise<void> {
    this.lists = await all("GET alerts/watchlists/", "watchlists");
  }

  private async choose(): Promise<void> {
    const { id, add = "" } = route.value.query;
    const chosen = this.lists.find((list) => String(list.id) === id);
    if (id === "new") this.draft = { id: null, name: "", text: add.toUpperCase(), count: 0 };
    else if (!chosen) this.draft = null;
    else {
      await this.attempt(async () => {
        const isTyped = chosen.entry_count <= MAX_TYPED;
        const full = isTyped ? await call("GET alerts/watchlists/{id}/", { path: { id: chosen.id } }) : null;
        this.draft = {
          id: chosen.id,
          name: chosen.name,
          text: full?.entries.join("\n") ?? null,
          count: chosen.entry_count,
        };
      });
    }
    this.requestUpdate();
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    const draft = this.draft!;
    const entries = draft.text
      ?.split(/[\r\n,;]+/)
      .map((line) => line.trim())
      .filter(Boolean);
    void this.attempt(async () => {
      const body = { name: draft.name, ...(entries ? { entries } : {}) };
      if (draft.id === null) await call("POST alerts/watchlists/", { body });
      else await call("PATCH alerts/watchlists/{id}/", { path: { id: draft.id }, body });
      inform(t("saved"));
      await this.read();
      go("watchlists");
    });
  };

  private erase(list: Watchlist): void {
    if (!confirm(t("rule.delete_sure", { name: list.name }))) return;
    void this.attempt(async () => {
      await call("DELETE alerts/watchlists/{id}/", { path: { id: list.id } });
      await this.read();
    });
  }

  /** Add the aircraft that the address names to a list. */
  private add(list: Watchlist, hex: string): void {
    void this.attempt(async () => {
      const { entry_count } = await call("POST alerts/watchlists/{id}/import/", {
        path: { id: list.id },
        raw: hex.toUpperCase(),
        type: "text/plain",
      });
      inform(t("watchlist.added", { name: list.name, n: entry_count }));
      note({ add: null, as: null });
      await this.read();
    });
  }

  /** Which list the aircraft of the address goes to. */
  private choice(): TemplateResult | typeof nothing {
    const { add, as } = route.value.query;
    if (!add) return nothing;
    const lists = may("edit") ? this.lists : [];
    return html`<section class="section" aria-labelledby="add-title"><h2 id="add-title">${t("watchlist.add", { name: as || add.toUpperCase() })}</h2>
      <div class="bar">
        ${lists.map((list) => html`<button class="primary" ?disabled=${this.isBusy} @click=${() => this.add(list, add)}>${list.name}</button>`)}
        ${may("create") ? html`<button @click=${() => go("watchlists", { id: "new", add })}>${icon("plus")} ${t("watchlist.new")}</button>` : nothing}
        <button class="plain link" @click=${() => note({ add: null, as: null })}>${t("cancel")}</button>
      </div></section>`;
  }

  private take(list: Watchlist, event: Event): void {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    void this.attempt(async () => {
      const type = /\.csv$/i.test(file.name) ? "text/csv" : "text/plain";
      const raw = await file.text();
      const { added, entry_count } = await call("POST alerts/watchlists/{id}/import/", {
        path: { id: list.id },
        raw,
        type,
      });
      inform(t("watchlist.imported", { n: added, total: entry_count }));
      await this.read();
    });
  }

  protected override render(): TemplateResult {
    return this.draft ? this.editor(this.draft) : this.overview();
  }

  private overview(): TemplateResult {
    const { add } = route.value.query;
    return html`${this.choice()}<div class="bar">${may("create") && !add ? html`<button class="primary" @click=${() => go("watchlists", { id: "new" })}>${icon("plus")} ${t("watchlist.new")}</button>` : nothing}</div>
      <p class="hint">${t("watchlist.hint")}</p>
      ${this.fault()}
      ${this.lists.length ? html`<ul class="cards">${this.lists.map((list) => this.card(list))}</ul>` : this.emptyList(t("watchlist.none"))}`;
  }

  private card(list: Watchlist): TemplateResult {
    return html`<li class="card"><p><b>${list.name}</b> <small>${t("watchlist.entries", { n: list.entry_count })}</small></p>
      <p class="actions">
        <button class="plain link" @click=${() => go("watchlists", { id: String(list.id) })}>${t(may("edit") ? "edit" : "details")}</button>
        ${may("edit") ? html`<label class="file plain"><span>${t("rule.import")}</span><input type="file" accept=".txt,.csv,text/plain,text/csv" aria-label="${t("rule.import")}: ${list.name}" @change=${(event: Event) => this.take(list, event)} /></label>` : nothing}
        ${may("delete") ? html`<button class="plain link" @click=${() => this.erase(list)}>${t("delete")}</button>` : nothing}
      </p></li>`;
  }

  private editor(draft: NonNullable<Watchlists["draft"]>): TemplateResult {
    const mayChange = may(draft.id === null ? "create" : "edit");
    return html`<form class="form" @submit=${this.save}>
      <h2>${draft.id === null ? t("watchlist.new") : draft.name}</h2>
      <label><span>${t("name")}</span><input name="name" required maxlength="120" .value=${draft.name} ?readonly=${!mayChange} autocomplete="off" aria-invalid=${this.invalid("name")} @input=${(event: Event) => (draft.name = (event.target as HTMLInputElement).value)} /></label>${this.faultBelow("name")}
      ${
        draft.text === null
          ? html`<p class="hint">${t("watchlist.too_long", { n: draft.count })}</p>`
          : html`<label><span>${t("watchlist.entries_hint")}</span><textarea rows="14" class="mono" aria-invalid=${this.invalid("entries")} spellcheck="false" .value=${draft.text} ?readonly=${!mayChange} @input=${(event: Event) => (draft.text = (event.target as HTMLTextAreaElement).value)}></textarea></label>${this.faultBelow("entries")}`
      }
      ${this.fault()}
      <div class="actions">${mayChange ? html`<button class="primary" ?disabled=${this.isBusy}>${t("save")}</button>` : nothing}<button type="button" @click=${() => go("watchlists")}>${t(mayChange ? "cancel" : "close")}</button></div>
    </form>`;
  }
}

customElements.define("sw-watchlists", Watchlists);

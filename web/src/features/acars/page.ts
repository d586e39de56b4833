// ACARS messages: the newest as they come, searched and filtered, with what was decoded from them.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { olderOf } from "../../core/pages";
import { preferences } from "../../core/preferences";
import { clock } from "../../ui/units";
import { t, type TextKey } from "../../i18n/i18n";
import { live } from "../../live/live";
import { call, queryOf } from "../../session/api";
import type { Answer, Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task } from "../../session/task";
import { pageHead } from "../../shell/navigation";

type Message = Schemas["AcarsRecord"];
type Page = Answer<"GET acars/messages">;

const SOURCES = ["acars", "vdl2", "hfdl", "inmarsat", "iridium"];
const PAGE = 60;
/** A list that has grown longer shows its newest page alone again. */
const MOST = 20 * PAGE;
/** Messages that come within this time are read together. */
const GATHER_MS = 1000;

class Acars extends Task {
  private messages: Message[] = [];
  private next: string | null = null;
  private stop: (() => void) | null = null;
  private due: ReturnType<typeof setTimeout> | undefined;
  /** Whether further pages were asked for; without them the list is the newest page. */
  private hasMore = false;

  constructor() {
    super();
    this.watch(route, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    this.stop = live.happening.subscribe((news) => {
      if (news?.topic === "acars" && !news.data.past) this.readNewSoon();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.();
    clearTimeout(this.due);
    this.due = undefined;
  }

  private get isSearch(): boolean {
    return Object.entries(route.value.query).some(([name, value]) => value && name !== "acks");
  }

  private askNewest(): Promise<Page> {
    const { q, flight, label, source, icao_hex, acks } = route.value.query;
    // Half of all messages say no more than that another one came.
    const acknowledgements = acks || label ? undefined : false;
    const query = { q, flight, label, source, icao_hex, acknowledgements, limit: PAGE };
    return this.asList(call("GET acars/messages", { query }));
  }

  private async read(): Promise<void> {
    const answer = await this.askNewest();
    this.hasMore = false;
    this.messages = answer.messages;
    this.next = answer.next;
  }

  private readNewSoon(): void {
    this.due ??= setTimeout(() => {
      this.due = undefined;
      // What somebody asked for comes first.
      if (this.isBusy) this.readNewSoon();
      else if (!this.isSearch) void this.attemptRead(() => this.readNew());
    }, GATHER_MS);
  }

  private async readNew(): Promise<void> {
    const answer = await this.askNewest();
    const older = this.hasMore && this.messages.length < MOST ? olderOf(this.messages, answer.messages) : [];
    this.hasMore = older.length > 0;
    this.messages = [...answer.messages, ...older];
    if (!older.length) this.next = answer.next;
  }

  private async more(): Promise<void> {
    const answer = await this.asNextPage(call("GET acars/messages", { query: queryOf(this.next!) }));
    this.hasMore = true;
    this.messages = [...this.messages, ...answer.messages];
    this.next = answer.next;
  }

  private readonly submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    note(Object.fromEntries([...form].map(([name, value]) => [name, String(value).trim()])));
    void this.attemptRead(() => this.read());
  };

  private readonly showAcknowledgements = (event: Event): void => {
    note({ acks: (event.target as HTMLInputElement).checked ? "1" : null });
    void this.attemptRead(() => this.read());
  };

  protected override render(): TemplateResult {
    const { query } = route.value;
    const field = (name: string, title: TextKey): TemplateResult =>
      html`<label><span>${t(title)}</span><input name=${name} .value=${query[name] ?? ""} autocomplete="off" spellcheck="false" aria-describedby=${name === "q" ? "acars-grammar" : nothing} /></label>`;
    return html`<div class="sheet">${pageHead("nav.acars")}
      <form class="toolbar" role="search" @submit=${this.submit}>
        ${session.can("acars.view_full") ? field("q", "acars.words") : nothing}${field("flight", "column.flight")}${field("label", "acars.label")}
        <label><span>${t("acars.source")}</span><select name="source"><option value="">${t("filter.all")}</option>${SOURCES.map((one) => html`<option value=${one} ?selected=${one === query.source}>${one.toUpperCase()}</option>`)}</select></label>
        <button class="primary">${t("search")}</button>
      </form>
      <label class="check"><input type="checkbox" .checked=${Boolean(query.acks)} @change=${this.showAcknowledgements} /> ${t("acars.acknowledgements")}</label>
      ${session.can("acars.view_full") ? html`<p class="hint" id="acars-grammar">${t("acars.grammar")}</p>` : nothing}
      ${this.fault()}
      ${this.messages.length ? html`<ul class="cards">${this.messages.map((message) => this.card(message))}</ul>` : this.emptyList(t(this.isSearch ? "acars.none" : "acars.begin"))}
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}
    </div>`;
  }

  private card(message: Message): TemplateResult {
    const name = message.callsign ?? message.flight ?? message.registration ?? message.icao_hex ?? "–";
    return html`<li class="card">
      <p><b class="mono">${message.icao_hex ? html`<a href="#/map?hex=${message.icao_hex.toLowerCase()}">${name}</a>` : name}</b>
        <span class="tag">${message.label ?? "–"}</span> ${message.label_name ?? ""}</p>
      ${message.decoded ? html`<p>${message.decoded.title === message.label_name ? nothing : html`<b>${message.decoded.title}</b> `}<small>${message.decoded.items.map((item) => `${item.label}: ${String(item.value)}`).join(" · ")}</small></p>` : nothing}
      ${message.text ? html`<pre class="acars-text">${message.text}</pre>` : nothing}
      <p><small>${clock(message.at, true)} · ${message.source.toUpperCase()}${message.frequency_mhz ? ` · ${message.frequency_mhz} MHz` : ""}${message.station ? ` · ${message.station}` : ""}${message.repeats ? ` · ${t("acars.repeats", { n: message.repeats })}` : ""}</small></p>
    </li>`;
  }
}

customElements.define("sw-acars", Acars);

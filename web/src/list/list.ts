// The list of aircraft: the map's twin for keyboards and screen readers. Only the rows on the screen are made.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";
import { note, route } from "../core/address";
import { dark, prefer, preferences } from "../core/preferences";
import { NOTHING, addressOf, isFurther, toggled } from "../core/selection";
import { View, styled } from "../ui/view";
import { number, t } from "../i18n/i18n";
import { isActive } from "../live/filter";
import { live } from "../live/live";
import { NO_FILTER, type Aircraft } from "../live/messages";
import { session } from "../session/session";
import { announce } from "../ui/announce";
import { states } from "../ui/flag";
import { icon } from "../ui/icons";
import { moved } from "./column_order";
import { COLUMNS, columnTitle, type Column } from "./columns";
import "./filters";
import { inHistory } from "./search";
import { LIST_TOPS } from "./tops";

const ROW_PX = 30;
/** How columns share the room beyond their least widths, which the style sheet names. */
const SHARES: Record<string, string> = {
  "var(--least-callsign)": "1.9fr",
  "var(--least-number)": "1fr",
  "var(--least-text)": "0.9fr",
};
const SPARE_ROWS = 6;
type Tab = "none" | "filters" | "columns";

class List extends View {
  private offset = 0;
  private limit = 30 + SPARE_ROWS;
  private tab: Tab = "none";
  private inView = false;
  private active: string | null = null;
  private observer = new ResizeObserver(() => this.measure());

  constructor() {
    super();
    this.watch(
      live.list,
      live.filter,
      live.selectedHex,
      live.alsoHexes,
      preferences,
      dark,
      route,
      states,
      session.user,
    );
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.ask();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
  }

  protected override firstUpdated(): void {
    this.observer.observe(this.querySelector(".rows")!);
  }

  private get columns(): Column[] {
    const offered = this.offered;
    return preferences.value.columns
      .map((key) => offered.find((column) => column.key === key))
      .filter((column) => column !== undefined);
  }

  private get offered(): Column[] {
    return COLUMNS.filter(({ needs }) => !needs || session.can("aircraft.view_details"));
  }

  private get order(): { sort: string; descending: boolean } {
    const { sort } = preferences.value;
    return { sort: sort.replace(/^-/, ""), descending: sort.startsWith("-") };
  }

  private ask(): void {
    live.send({
      type: "list",
      offset: this.offset,
      limit: this.limit,
      ...this.order,
      inView: this.inView,
      airFirst: preferences.value.airFirst,
    });
  }

  private measure(): void {
    const rows = this.querySelector<HTMLElement>(".rows");
    if (!rows) return;
    const first = Math.floor(rows.scrollTop / ROW_PX);
    const offset = Math.max(0, first - SPARE_ROWS);
    const limit = first + Math.ceil(rows.clientHeight / ROW_PX) + SPARE_ROWS - offset;
    if (limit === this.limit && offset === this.offset) return;
    this.limit = limit;
    this.offset = offset;
    this.ask();
  }

  private sortBy(key: string): void {
    const { sort, descending } = this.order;
    prefer({ sort: sort === key && !descending ? `-${key}` : key });
    this.ask();
  }

  private select(aircraft: Aircraft, further: boolean): void {
    this.active = aircraft.hex;
    const alone = live.selectedHex.value === aircraft.hex ? NOTHING : { hex: aircraft.hex, also: [] };
    note(addressOf(further ? toggled(live.selection, aircraft.hex) : alone));
    announce(t("list.selected", { name: String(aircraft.flight || aircraft.hex).trim() }));
  }

  private key(event: KeyboardEvent): void {
    const { rows, offset, matching } = live.list.value;
    const at = rows.findIndex(({ hex }) => hex === this.active);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    let next = -1;
    if (event.key in steps) next = at < 0 ? 0 : at + steps[event.key];
    else if (event.key === "Home") next = -offset;
    else if (event.key === "End") next = matching - 1 - offset;
    else if ((event.key === "Enter" || event.key === " ") && at >= 0) {
      event.preventDefault();
      this.select(rows[at], isFurther(event));
      return;
    } else if (event.key === "Escape" && live.selectedHex.value) {
      note(addressOf(NOTHING));
      return;
    } else return;
    event.preventDefault();
    const index = Math.max(0, Math.min(matching - 1, offset + next));
    this.reveal(index);
    const row = rows[index - offset];
    if (row) this.active = row.hex;
    this.requestUpdate();
  }

  private reveal(index: number): void {
    const rows = this.querySelector<HTMLElement>(".rows")!;
    const top = index * ROW_PX;
    if (top < rows.scrollTop) rows.scrollTop = top;
    else if (top + ROW_PX > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + ROW_PX - rows.clientHeight;
    this.measure();
  }

  private toggle(tab: Tab): void {
    this.tab = this.tab === tab ? "none" : tab;
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { rows, offset, matching, total } = live.list.value;
    const filter = live.filter.value;
    const columns = this.columns;
    const least = columns.map(
      ({ key, isNumber }) => `var(--least-${key === "flight" ? "callsign" : isNumber ? "number" : "text"})`,
    );
    const template = least.map((width) => `minmax(${width},${SHARES[width]})`).join(" ");
    return html`<section class="list" aria-label=${t("list.label")} ${styled({ "--columns": template, "--least": `calc(${[...least, `${columns.length - 1} * var(--gap)`].join(" + ")} + 2 * var(--edge))` })}>
      <button class="sheet-handle" aria-label=${t("list.toggle")} aria-expanded=${preferences.value.listOpen} @click=${() => prefer({ listOpen: !preferences.value.listOpen })}></button>
      <div class="list-head">
        <sw-search></sw-search>
        <button class="tool ${this.tab === "filters" || isActive({ ...filter, text: "" }) ? "on" : ""}" aria-expanded=${this.tab === "filters"} @click=${() => this.toggle("filters")} title=${t("list.filters")} aria-label=${t("list.filters")}>${icon("filter")}</button>
        <button class="tool ${this.tab === "columns" ? "on" : ""}" aria-expanded=${this.tab === "columns"} @click=${() => this.toggle("columns")} title=${t("list.columns")} aria-label=${t("list.columns")}>${icon("columns")}</button>
      </div>
      ${this.tab === "filters" ? html`<sw-filters></sw-filters>` : this.tab === "columns" ? this.chooser() : nothing}
      <div class="summary">
        <span role="status">${matching === total ? t("list.all", { n: total }) : t("list.some", { n: matching, total: number(total) })}</span>
        <label class="check"><input type="checkbox" .checked=${this.inView} @change=${this.toggleInView} /> ${t("list.in_view")}</label>
        ${isActive(filter) ? html`<button class="plain link" @click=${this.reset}>${t("list.reset")}</button>` : nothing}
      </div>
      ${this.tops()}
      <div class="table" role="grid" aria-multiselectable="true" aria-label=${t("list.label")} aria-rowcount=${matching + 1} aria-colcount=${columns.length}>
        <div role="rowgroup"><div class="row header" role="row" aria-rowindex="1">${columns.map((column) => this.header(column))}</div></div>
        <div class="rows" role="rowgroup" tabindex="0" aria-activedescendant=${this.active ? `row-${this.active.replace("~", "x")}` : nothing} @scroll=${this.measure} @keydown=${this.key} aria-label=${t("list.rows")}>
          <div class="spacer" role="presentation" ${styled({ height: `${matching * ROW_PX}px` })}>
            <div class="window" role="presentation" ${styled({ transform: `translateY(${offset * ROW_PX}px)` })}>
              ${repeat(
                rows,
                ({ hex }) => hex,
                (aircraft, at) => this.row(aircraft, offset + at, columns),
              )}
            </div>
          </div>
          ${matching === 0 ? html`<p class="empty">${this.emptyText(total)}</p>` : nothing}
        </div>
      </div>
    </section>`;
  }

  /** What features show above the rows; an element whose script is not here yet is empty. */
  private tops(): TemplateResult[] {
    return LIST_TOPS.filter(({ isOpen }) => isOpen()).map(({ element, load }) => {
      if (!customElements.get(element))
        load().catch((error: unknown) => console.warn("A part of the list cannot be loaded:", error));
      const tag = unsafeStatic(element); // One of the names of the features, never what a person or the service wrote.
      return staticHtml`<${tag}></${tag}>`;
    });
  }

  private emptyText(total: number): TemplateResult | string {
    const past = inHistory(live.filter.value.text);
    if (total > 0)
      return html`${t("list.none_match")} ${past ? html`<a href=${past}>${t("search.history")}</a>` : nothing}`;
    if (live.state.value !== "open") return t(`state.${live.state.value}`);
    // Whoever set the service up wants to know whether it receives anything.
    return session.can("system.manage")
      ? html`${t("list.none")} <a href="console/receivers">${t("list.receivers")}</a>`
      : t("list.none");
  }

  private header(column: Column): TemplateResult {
    const { sort, descending } = this.order;
    const isSorted = sort === column.key;
    return html`<div role="columnheader" class=${column.isNumber ? "number" : ""} aria-sort=${isSorted ? (descending ? "descending" : "ascending") : nothing}>
      <button class="plain" title=${column.short ? t(column.title) : nothing} @click=${() => this.sortBy(column.key)}>${columnTitle(column)}<i class="sort" aria-hidden="true">${isSorted ? (descending ? "▼" : "▲") : ""}</i></button>
    </div>`;
  }

  private row(aircraft: Aircraft, index: number, columns: Column[]): TemplateResult {
    const isSelected = aircraft.hex === live.selectedHex.value || live.alsoHexes.value.includes(aircraft.hex);
    const classes = `row ${isSelected ? "selected" : ""} ${aircraft.hex === this.active ? "active" : ""}`;
    return html`<div class=${classes} role="row" id="row-${aircraft.hex.replace("~", "x")}" aria-rowindex=${index + 2} aria-selected=${isSelected} @click=${(event: MouseEvent) => this.select(aircraft, isFurther(event))}>
      ${columns.map((column) => html`<div role="gridcell" class=${column.isNumber ? "number" : ""}>${column.cell(aircraft)}</div>`)}
    </div>`;
  }

  /** The columns that are shown, in their order, and below them the others. */
  private chooser(): TemplateResult {
    const shown = this.columns;
    const rest = this.offered.filter((column) => !shown.includes(column));
    return html`<fieldset class="chooser"><legend>${t("list.columns")}</legend>
      ${repeat(
        [...shown, ...rest],
        ({ key }) => key,
        (column, at) => this.choice(column, at, shown.length),
      )}
      <label class="check air-first"><input type="checkbox" .checked=${preferences.value.airFirst} @change=${this.toggleAirFirst} /> ${t("list.air_first")}</label>
    </fieldset>`;
  }

  private choice({ key, title }: Column, at: number, count: number): TemplateResult {
    const name = t(title);
    const button = (step: -1 | 1, text: "list.earlier" | "list.later", arrow: string): TemplateResult =>
      html`<button class="tool small" data-step=${step} ?disabled=${step < 0 ? at === 0 : at === count - 1} @click=${() => void this.move(key, step)} title=${t(text, { name })} aria-label=${t(text, { name })}>${arrow}</button>`;
    return html`<div class="choice" data-column=${key}>
      <label class="check"><input type="checkbox" .checked=${at < count} @change=${() => this.toggleColumn(key)} /> ${name}</label>
      ${at < count ? html`${button(-1, "list.earlier", "←")}${button(1, "list.later", "→")}` : nothing}
    </div>`;
  }

  private toggleColumn(key: string): void {
    const { columns } = preferences.value;
    const chosen = columns.includes(key) ? columns.filter((one) => one !== key) : [...columns, key];
    prefer({ columns: chosen.length ? chosen : ["flight"] });
  }

  private async move(key: string, step: -1 | 1): Promise<void> {
    prefer({
      columns: moved(
        preferences.value.columns,
        this.columns.map((column) => column.key),
        key,
        step,
      ),
    });
    const at = this.columns.findIndex((column) => column.key === key);
    announce(t("list.moved", { name: t(this.columns[at].title), n: at + 1, total: this.columns.length }));
    await this.updateComplete;
    // A moved element loses the focus, and at the end of the row its button cannot be pressed any more.
    const choice = this.querySelector(`[data-column="${key}"]`);
    (
      choice?.querySelector<HTMLElement>(`[data-step="${step}"]:enabled`) ??
      choice?.querySelector<HTMLElement>("button:enabled")
    )?.focus();
  }

  private readonly toggleAirFirst = (): void => {
    prefer({ airFirst: !preferences.value.airFirst });
    this.ask();
  };

  private readonly toggleInView = (): void => {
    this.inView = !this.inView;
    this.ask();
    this.requestUpdate();
  };

  private readonly reset = (): void => {
    live.filter.set(NO_FILTER);
  };
}

customElements.define("sw-list", List);

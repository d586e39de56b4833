// The charts of one receiver or feeder: range by bearing, signals, and how it went over a day and over thirty.
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { preferences } from "../../core/preferences";
import { number, t, type TextKey } from "../../i18n/i18n";
import { call } from "../../session/api";
import { Task } from "../../session/task";
import type { Source } from "../../shell/feature";
import { dayName } from "../../ui/days";
import { clock, measure } from "../../ui/units";
import { history } from "./connections";
import { coverage } from "./covered";
import { histogram, line, polar, RANGES, unitOf, valueText } from "./plots";
import {
  DAY_MS,
  FIGURES,
  gathered,
  HOUR_MS,
  spansOf,
  type Coverage,
  type Figure,
  type Quality,
  type Span,
} from "./series";

const REFRESH_MS = 60_000;
/** Until there is something to show, whoever has just connected a feeder looks at the page. */
const FIRST_MS = 10_000;
const TITLES: Record<Figure, TextKey> = {
  messages_s: "quality.messages_s",
  positions_s: "quality.positions_s",
  aircraft: "quality.aircraft",
  max_range_nm: "quality.max_range_nm",
  strong_share: "quality.strong_share",
  duplicates_share: "quality.duplicates_share",
  disputes_share: "quality.disputes_share",
};

class ReceptionCharts extends Task {
  static override properties: PropertyDeclarations = { source: { attribute: false } };
  declare source: Source;
  private quality: Quality | null = null;
  private grid: Coverage | null = null;
  private shownFor = "";
  private readAt = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(() => this.refresh(), FIRST_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
    coverage.set(null);
  }

  protected override willUpdate(): void {
    const name = JSON.stringify(this.source);
    if (name === this.shownFor) return;
    this.shownFor = name;
    this.quality = this.grid = null;
    void this.attemptRead(() => this.read());
  }

  private refresh(): void {
    const isMeasured = this.quality ? this.quality.series.length > 0 : this.grid !== null;
    const isDue = Date.now() - this.readAt >= (isMeasured ? REFRESH_MS : FIRST_MS);
    if (isDue && !document.hidden) void this.attemptRead(() => this.read());
  }

  private async read(): Promise<void> {
    this.readAt = Date.now();
    const { source, shownFor } = this;
    if ("feeder" in source && source.isCoarse) {
      const grid = await call("GET feeders/{id}/coverage", { path: { id: source.feeder } });
      if (shownFor !== this.shownFor) return;
      this.grid = grid;
      coverage.set({ source, grid });
      return;
    }
    const quality =
      "feeder" in source
        ? await call("GET feeders/{id}/quality", { path: { id: source.feeder } })
        : await call("GET system/receivers/{name}/quality", { path: { name: source.receiver } });
    if (shownFor !== this.shownFor) return;
    this.quality = quality;
    coverage.set({ source, sectors: quality.range });
  }

  protected override render(): TemplateResult | typeof nothing {
    const { quality, grid } = this;
    if (grid) return html`${this.fault()}${cells(grid)}`;
    if (!quality) return this.error ? this.fault() : html`<p class="empty" role="status">${t("loading")}</p>`;
    if (!quality.series.length) return html`${this.fault()}<p class="empty">${t("quality.none")}</p>`;
    const { day, month } = spansOf(quality.series, Date.now());
    return html`${this.fault()}${this.newest(day)}
      <div class="reception-pair"><section class="section"><h2>${t("quality.range")}</h2>${this.range(quality)}</section>
      <section class="section"><h2>${t("quality.signals")}</h2>${this.signals(quality)}</section></div>
      ${this.span(day, HOUR_MS, "quality.day")}${this.span(month, DAY_MS, "quality.month")}
      <section class="section"><h2>${t("quality.connections")}</h2>${history(quality.connections, Date.now())}</section>`;
  }

  /** The figures of the newest minute, each with its mean of the day. */
  private newest({ samples }: Span): TemplateResult | typeof nothing {
    const [mean] = gathered(samples, Infinity);
    const last = samples.at(-1);
    if (!last) return nothing;
    const text = (figure: Figure, value: number | null): string =>
      value === null
        ? "–"
        : [valueText(figure, value), unitOf(figure)].filter(Boolean).join("\u00a0").replace("\u00a01/s", "/s");
    return html`<section class="section"><h2>${t("quality.newest", { at: clock(last.at) })}</h2><dl class="reception-newest">
      ${this.figures.map((figure) => html`<div data-newest=${figure}><dt>${t(TITLES[figure])}</dt><dd>${text(figure, last.values[figure])}</dd><dd class="hint">${t(figure === "max_range_nm" ? "quality.day_most" : "quality.day_mean", { value: text(figure, mean.values[figure]) })}</dd></div>`)}
    </dl></section>`;
  }

  /** Only feeders can send what others sent before. */
  private get figures(): readonly Figure[] {
    return "feeder" in this.source ? FIGURES : FIGURES.filter((figure) => figure !== "duplicates_share");
  }

  private range({ range }: Quality): TemplateResult {
    return html`<figure class="reception-range">${polar(range)}
      <figcaption><ul class="reception-key">${RANGES.map(([name, text]) => html`<li><span class="swatch ${name}"></span>${t(text)}</li>`)}</ul></figcaption></figure>
      ${numbers(
        "range",
        [t("quality.bearing"), ...RANGES.map(([, text]) => t(text))],
        range.map((sector) => [
          `${number(sector.bearing)}°`,
          ...RANGES.map(([name]) => measure("distance", sector[name])),
        ]),
      )}`;
  }

  private signals({ signal }: Quality): TemplateResult {
    const share = (value: number | null): string => (value === null ? "–" : `${number(value * 100, 1)} %`);
    return html`<figure>${histogram(signal.histogram)}<figcaption class="hint">${t("quality.dbfs")}</figcaption></figure>
      <dl class="reception-facts"><dt>${t("quality.strong")}</dt><dd data-share="strong">${share(signal.strong_share)}</dd><dt>${t("quality.weak")}</dt><dd data-share="weak">${share(signal.weak_share)}</dd></dl>
      ${signal.strong_share !== null && signal.strong_share > 0.05 ? html`<p class="hint">${t("quality.gain_hint")}</p>` : nothing}`;
  }

  private span(span: Span, rowMs: number, title: TextKey): TemplateResult {
    const name = (figure: Figure): string => t(TITLES[figure]);
    const { figures } = this;
    const heads = figures.map((figure) => `${name(figure)}${unitOf(figure) ? ` (${unitOf(figure)})` : ""}`);
    const rows = gathered(span.samples, rowMs).map(({ at, values }) => [
      rowMs < DAY_MS ? clock(at, true) : dayName(at),
      ...figures.map((figure) => valueText(figure, values[figure])),
    ]);
    return html`<section class="section" data-span=${title}><h2>${t(title)}</h2>
      <div class="reception-lines">${figures.map((figure) => line(span, figure, name(figure)))}</div>
      ${numbers(title, [t("quality.time"), ...heads], rows)}</section>`;
  }
}

/** What others may know where the place is not public. */
function cells({ cells: covered, cell_deg }: Coverage): TemplateResult {
  const present = covered.filter((cell) => cell.now).length;
  return html`<section class="section"><h2>${t("quality.coverage")}</h2><p>${t("quality.coarse", { size: number(cell_deg, 1) })}</p>
    <p data-cells=${covered.length}>${covered.length ? t("quality.cells", { n: covered.length, now: present }) : t("quality.none")}</p></section>`;
}

/** The numbers of a drawing, for whoever reads them. */
function numbers(name: string, heads: string[], rows: string[][]): TemplateResult {
  return html`<details class="reception-numbers"><summary>${t("quality.numbers")}</summary>
    <div class="scroll" tabindex="0"><table class="data" data-of=${name}><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((value, at) => html`<td class=${at ? "number" : ""}>${value}</td>`)}</tr>`)}</tbody></table></div></details>`;
}

customElements.define("sw-reception-charts", ReceptionCharts);

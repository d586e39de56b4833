// Everything about the selected aircraft.
import { html, nothing, type TemplateResult } from "lit";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";
import { note } from "../core/address";
import { dark, preferences } from "../core/preferences";
import { bearing, measure } from "../ui/units";
import { NOTHING, addressOf, promoted } from "../core/selection";
import { View } from "../ui/view";
import { t } from "../i18n/i18n";
import { live } from "../live/live";
import { isEmergency } from "../live/filter";
import { FLAG, type Aircraft } from "../live/messages";
import { colourOf, onGround, silhouette } from "../list/columns";
import { marksOf } from "../list/marks";
import type { MapElement } from "../map/map";
import { call } from "../session/api";
import { inform } from "../ui/announce";
import { drawing, icon } from "../ui/icons";
import { facts, type Airframe } from "./facts";
import type { PanelLink, PanelPart } from "./parts";
import { profile } from "./profile";

interface Details extends Aircraft {
  airframe: Airframe | null;
  ages: Record<string, number | null>;
}

const REFRESH_MS = 2000;

class Panel extends View {
  static override properties = { parts: { attribute: false }, links: { attribute: false } };
  declare parts: readonly PanelPart[];
  declare links: readonly PanelLink[];
  private details: Details | null = null;
  private hex: string | null = null;
  private isGone = false;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.parts = [];
    this.links = [];
    this.watch(live.selected, live.selectedHex, live.alsoHexes, live.also, preferences, dark);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(() => void this.fetch(), REFRESH_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  protected override willUpdate(): void {
    const hex = live.selectedHex.value;
    if (hex === this.hex) return;
    this.hex = hex;
    this.details = null;
    this.isGone = false;
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const { hex } = this;
    if (!hex || document.hidden || live.isReplay.value) return;
    try {
      const details = await call<Details>(`aircraft/${encodeURIComponent(hex)}`);
      if (hex !== this.hex) return;
      this.details = details;
      this.isGone = false;
    } catch (error) {
      if (hex === this.hex && (error as { status?: number }).status === 404) this.isGone = true;
    }
    this.requestUpdate();
  }

  private readonly close = (): void => note(addressOf(NOTHING));

  private readonly follow = (): void => document.querySelector<MapElement>("sw-map")?.follow();

  private readonly share = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(location.href);
      inform(t("panel.copied"));
    } catch {
      inform(t("panel.copy_failed"), "error"); // Browsers copy only over https.
    }
  };

  protected override render(): TemplateResult {
    const { hex } = this;
    const now = live.selected.value;
    const some: Aircraft | null = now || this.details ? { ...this.details, ...now, hex: hex! } : null;
    return html`<aside class="panel" aria-label=${t("panel.label")} @keydown=${(event: KeyboardEvent) => event.key === "Escape" && this.close()}>
      <div class="panel-tools">
        <button class="tool" @click=${this.follow} title=${t("panel.follow")} aria-label=${t("panel.follow")}>${icon("follow")}</button>
        <button class="tool" @click=${this.share} title=${t("panel.share")} aria-label=${t("panel.share")}>${icon("link")}</button>
        <button class="tool" @click=${this.close} title=${t("close")} aria-label=${t("close")}>${icon("close")}</button>
      </div>
      ${some ? this.content(some) : html`<h2>${hex?.toUpperCase()}</h2><p class="empty" role="status">${this.isGone ? t("panel.gone") : t("loading")}</p>`}
    </aside>`;
  }

  private content(some: Aircraft): TemplateResult {
    const flags = (some.flags as number) ?? 0;
    const airframe = this.details?.airframe ?? null;
    const registration = some.r ?? airframe?.registration;
    return html`
      <header class="panel-head">
        ${silhouette(some, 34)}
        <div>
          <h2>${String(some.flight || registration || some.hex).trim()}</h2>
          <p>${[registration, airframe?.type_name || some.t].filter(Boolean).join(" · ")}</p>
        </div>
      </header>
      <p class="tags">
        ${isEmergency(flags, some.squawk) ? html`<span class="tag danger">${t("aircraft.emergency")} ${some.squawk}</span>` : nothing}
        ${marksOf(flags).map(({ title, href }) => html`<span class="tag warning"><a href=${href(some)}>${t(title)}</a></span>`)}
        ${flags & FLAG.military ? html`<span class="tag">${t("aircraft.military")}</span>` : nothing}
        ${flags & FLAG.mlat ? html`<span class="tag">MLAT</span>` : nothing}
        ${flags & FLAG.tisb ? html`<span class="tag">TIS-B</span>` : nothing}
        ${airframe?.interesting ? html`<span class="tag">${t("aircraft.interesting")}</span>` : nothing}
        ${airframe?.pia ? html`<span class="tag">PIA</span>` : nothing}
        ${airframe?.ladd ? html`<span class="tag">LADD</span>` : nothing}
        ${this.isGone ? html`<span class="tag">${t("panel.gone")}</span>` : nothing}
      </p>
      ${this.others()}
      ${this.figures(some)}
      ${profile(some)}
      ${live.isReplay.value ? nothing : this.elements(some.hex)}
      ${facts(some, airframe, this.details?.seen)}
      <p class="panel-links">
        ${this.links.map(({ href, icon: path, title }) => html`<a href=${href(some.hex)}>${drawing(path)}${t(title)}</a>`)}
      </p>`;
  }

  /** What features add; an element whose script is not here yet is empty. */
  private elements(hex: string): TemplateResult[] {
    return this.parts.map(({ element, load }) => {
      if (!customElements.get(element)) load().catch((error: unknown) => console.warn("A part of the panel cannot be loaded:", error));
      const tag = unsafeStatic(element); // One of the names of the features, never what a person or the service wrote.
      return staticHtml`<${tag} .hex=${hex}></${tag}>`;
    });
  }

  /** The others that are selected: a click shows the details of one. */
  private others(): TemplateResult | typeof nothing {
    const { also } = live.selection;
    if (!also.length) return nothing;
    const name = (hex: string, at: number): string => String(live.also.value[at]?.flight || hex.toUpperCase()).trim();
    return html`<div class="chips others" role="group" aria-label=${t("panel.also")}>
      ${also.map((hex, at) => html`<button class="chip" @click=${() => note(addressOf(promoted(live.selection, hex)))}>${name(hex, at)}</button>`)}
    </div>`;
  }

  private figures(some: Aircraft): TemplateResult {
    const rate = some.baro_rate as number | null | undefined;
    const climbing = typeof rate === "number" && Math.abs(rate) >= 250;
    return html`<div class="figures">
      <div><span>${t("column.altitude")}</span><b>${onGround(some) ? t("aircraft.on_ground") : measure("altitude", some.alt_baro as number)}</b>
        <small>${climbing ? html`${rate > 0 ? "↑" : "↓"} ${measure("rate", Math.abs(rate))}` : onGround(some) ? "" : t("aircraft.level")}</small></div>
      <div><span>${t("column.speed")}</span><b>${measure("speed", some.gs as number)}</b><small>${t("column.track")} ${bearing(some.track as number | null)}</small></div>
      <div><span>${t("column.distance")}</span><b>${measure("distance", some.distance as number | null, 1)}</b><small>${t("column.bearing")} ${bearing(some.bearing as number | null)}</small></div>
    </div>`;
  }
}

customElements.define("sw-panel", Panel);
export { colourOf };

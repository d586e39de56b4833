// Everything about the selected aircraft.
import { html, nothing, type TemplateResult } from "lit";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";
import { note } from "../core/address";
import { Cell } from "../core/cell";
import { dark, preferences } from "../core/preferences";
import { NOTHING, addressOf, promoted } from "../core/selection";
import { View } from "../ui/view";
import { t, type TextKey } from "../i18n/i18n";
import { live } from "../live/live";
import { isAlarming, isEmergency } from "../live/filter";
import { FLAG, type Aircraft } from "../live/messages";
import { colourOf, silhouette } from "../list/columns";
import { marksOf } from "../list/marks";
import { ApiError, call } from "../session/api";
import type { Schemas } from "../session/operations";
import { inform } from "../ui/announce";
import { flag, states } from "../ui/flag";
import { drawing, icon, type IconName } from "../ui/icons";
import { facts } from "./facts";
import { figures } from "./figures";
import type { Named, PanelAction, PanelLink, PanelPart } from "./parts";
import { photoSource } from "./photo_source";
import { profile, recall } from "./profile";
import { fitTracks, follow, selectNeighbour, toggleAlone } from "./steps";

type Details = Schemas["AircraftDetail"];

const REFRESH_MS = 2000;
const LOAD_AGAIN_MS = 5000;

/** Names of operators and types, which come with the first selection. */
const names = new Cell<typeof import("./names") | null>(null);

class Panel extends View {
  static override properties = {
    parts: { attribute: false },
    actions: { attribute: false },
    links: { attribute: false },
  };
  declare parts: readonly PanelPart[];
  declare actions: readonly PanelAction[];
  declare links: readonly PanelLink[];
  private details: Details | null = null;
  private hex: string | null = null;
  private isGone = false;
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly hasPhotos = photoSource() !== null;

  constructor() {
    super();
    this.parts = [];
    this.actions = [];
    this.links = [];
    this.watch(
      live.selected,
      live.selectedHex,
      live.alsoHexes,
      live.also,
      live.isAlone,
      preferences,
      dark,
      states,
      names,
    );
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(() => void this.fetch(), REFRESH_MS);
    void this.loadNames();
    if (this.hasPhotos) import("./photo").catch((error: unknown) => console.warn("Photos cannot be shown:", error));
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
    if (hex && !live.isReplay.value)
      recall(hex).then(
        () => this.requestUpdate(),
        () => undefined, // It has just gone, or was never heard with a position.
      );
  }

  /** Fetch the names; codes stand in their place until they are here. */
  private async loadNames(): Promise<void> {
    if (names.value) return;
    try {
      const loaded = await import("./names");
      names.set(loaded);
      await loaded.fetchOperators();
      this.requestUpdate();
    } catch (error) {
      console.warn("Names of operators and types cannot be loaded:", error);
      setTimeout(() => this.isConnected && void this.loadNames(), LOAD_AGAIN_MS);
    }
  }

  private async fetch(): Promise<void> {
    const { hex } = this;
    if (!hex || document.hidden || live.isReplay.value) return;
    try {
      const details = await call("GET aircraft/{icao_hex}", { path: { icao_hex: hex } });
      if (hex !== this.hex) return;
      this.details = details;
      this.isGone = false;
    } catch (error) {
      if (hex === this.hex && error instanceof ApiError && error.status === 404) this.isGone = true;
    }
    this.requestUpdate();
  }

  private readonly close = (): void => note(addressOf(NOTHING));

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
    const aircraft: Aircraft | null = now || this.details ? { ...this.details, ...now, hex: hex! } : null;
    return html`<aside class="panel" aria-label=${t("panel.label")} @keydown=${(event: KeyboardEvent) => event.key === "Escape" && this.close()}>
      ${this.tools()}
      ${aircraft ? this.content(aircraft) : html`<h2>${hex?.toUpperCase()}</h2><p class="empty" role="status">${this.isGone ? t("panel.gone") : t("loading")}</p>`}
    </aside>`;
  }

  private tools(): TemplateResult {
    const isAlone = live.isAlone.value;
    const tool = (name: IconName, title: TextKey, run: () => void): TemplateResult =>
      html`<button class="tool" @click=${run} title=${t(title)} aria-label=${t(title)}>${icon(name)}</button>`;
    return html`<div class="panel-tools" role="toolbar" aria-label=${t("panel.tools")}>
      ${tool("previous", "panel.previous", () => void selectNeighbour(-1))}
      ${tool("chevron", "panel.next", () => void selectNeighbour(1))}
      ${tool("random", "panel.random", () => void selectNeighbour(0))}
      <button class="tool alone" aria-pressed=${isAlone} @click=${toggleAlone} title=${t("panel.alone")} aria-label=${t("panel.alone")}>${icon("alone")}</button>
      ${tool("fit", "panel.fit", fitTracks)}
      ${tool("link", "panel.share", this.share)}
      ${tool("close", "close", this.close)}
    </div>`;
  }

  private content(aircraft: Aircraft): TemplateResult {
    const flags = (aircraft.flags as number) ?? 0;
    const airframe = this.details?.airframe ?? null;
    const registration = String(aircraft.r ?? airframe?.registration ?? "");
    const operator = names.value?.operatorOf(aircraft.flight) || airframe?.operator || "";
    const designator = String(aircraft.t ?? airframe?.type ?? "");
    const type = names.value?.typeWords(designator, airframe?.type_name) || designator;
    const named = { hex: aircraft.hex, callsign: String(aircraft.flight ?? "").trim(), registration, type: designator };
    return html`
      <header class="panel-head">
        ${silhouette(aircraft, 34)}
        <div>
          <h2>${String(aircraft.flight || registration || aircraft.hex).trim()} ${flag(aircraft.hex)}</h2>
          ${operator ? html`<p class="operator">${operator}</p>` : nothing}
          <p class="type">${[type, registration].filter(Boolean).join(" · ")}</p>
        </div>
      </header>
      ${this.elements(aircraft.hex, "head")}
      <p class="tags">
        ${isEmergency(flags, aircraft.squawk) ? html`<span class="tag ${isAlarming(aircraft, flags) ? "danger" : ""}">${t("aircraft.emergency")}</span>` : nothing}
        ${marksOf(flags).map(({ title, href }) => html`<span class="tag warning"><a href=${href(aircraft)}>${t(title)}</a></span>`)}
        ${flags & FLAG.military ? html`<span class="tag">${t("aircraft.military")}</span>` : nothing}
        ${flags & FLAG.mlat ? html`<span class="tag">MLAT</span>` : nothing}
        ${flags & FLAG.tisb ? html`<span class="tag">TIS-B</span>` : nothing}
        ${aircraft.simulated ? html`<span class="tag">${t("simulated.tag")}</span>` : nothing}
        ${aircraft.single_source ? html`<span class="tag unconfirmed">${t("aircraft.single_source")}</span>` : nothing}
        ${airframe?.interesting ? html`<span class="tag">${t("aircraft.interesting")}</span>` : nothing}
        ${airframe?.pia ? html`<span class="tag">PIA</span>` : nothing}
        ${airframe?.ladd ? html`<span class="tag">LADD</span>` : nothing}
        ${this.isGone ? html`<span class="tag">${t("panel.gone")}</span>` : nothing}
      </p>
      ${this.others()}
      ${this.photo(aircraft.hex, false)}
      ${figures(aircraft, this.details?.seen)}
      ${this.photo(aircraft.hex, true)}
      ${live.isReplay.value ? nothing : profile(aircraft)}
      ${this.elements(aircraft.hex, "body")}
      ${facts(aircraft, airframe, this.details?.seen, type !== designator)}
      <p class="panel-links">
        ${this.links.map(({ href, icon: path, title }) => html`<a href=${href(aircraft.hex)}>${drawing(path)}${t(title)}</a>`)}
      </p>
      ${this.offers(named)}`;
  }

  /** What a person can do about the aircraft, always in sight at the bottom of the panel. */
  private offers(named: Named): TemplateResult {
    // Lists and rules are about addresses that stay with an aircraft.
    const offered = named.hex.startsWith("~") ? [] : this.actions;
    return html`<p class="panel-actions" role="group" aria-label=${t("panel.actions")}>
      ${offered.map(({ word, title, icon: path, href }) => html`<a href=${href(named)} title=${t(title)}>${drawing(path)}<span>${t(word)}</span></a>`)}
      <button class="plain" @click=${follow} title=${t("panel.follow")}>${icon("follow")}<span>${t("panel.follow_short")}</span></button>
    </p>`;
  }

  /** The photo stands first; the question whether to show any comes after the figures. */
  private photo(hex: string, asks: boolean): TemplateResult | typeof nothing {
    return this.hasPhotos ? html`<sw-photo .hex=${hex} .asks=${asks}></sw-photo>` : nothing;
  }

  /** What features add; an element whose script is not here yet is empty. */
  private elements(hex: string, place: "head" | "body"): TemplateResult[] {
    if (live.isReplay.value) return [];
    return this.parts
      .filter((part) => (part.place ?? "body") === place)
      .map(({ element, load }) => {
        if (!customElements.get(element))
          load().catch((error: unknown) => console.warn("A part of the panel cannot be loaded:", error));
        const tag = unsafeStatic(element); // One of the names of the features, never what a person or the service wrote.
        return staticHtml`<${tag} .hex=${hex} .details=${this.details}></${tag}>`;
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
}

customElements.define("sw-panel", Panel);
export { colourOf };

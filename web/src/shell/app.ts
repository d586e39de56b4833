// The frame of the application: head, navigation, map with its list, and the page that is open over it.
import { html, nothing, type TemplateResult } from "lit";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";
import { route } from "../core/address";
import { dark, preferences } from "../core/preferences";
import { View } from "../ui/view";
import { number, t } from "../i18n/i18n";
import { live } from "../live/live";
import type { ChannelState } from "../live/messages";
import { simulated } from "../live/simulated";
import { session } from "../session/session";
import { announcement } from "../ui/announce";
import { FEATURES, menu, pageAt, pageOf, type OpenPage } from "./feature";
import { isNarrow, person } from "./navigation";
import "./notice";
import { icon, mark } from "../ui/icons";
import { runShortcut } from "./settings/shortcuts";
import { receptionCard, silent } from "./reception";
import { simulatedCard } from "./simulated";
import "../list/list";
import "../panel/panel";

const WAIT_FOR_CHANNEL_MS = 4000;
const FETCH_AGAIN_MS = 3000;
const MAP = "sw-map";

/** The map is half of all scripts, and the list needs none of it: aircraft are listed while it is on its way. */
async function loadMap(): Promise<void> {
  const { prepareGlLayer } = await import("../map/planes/gl");
  prepareGlLayer();
  await import("../map/map");
}

/** The names of operators come with the first search. */
async function loadOperators(): Promise<void> {
  const { designatorsNamed, fetchOperators } = await import("../panel/names");
  live.operatorsNamed.set(designatorsNamed);
  await fetchOperators();
  live.operatorsNamed.set((part) => designatorsNamed(part));
}

class App extends View {
  private loaded = new Set<string>();
  private failed: string | null = null;
  private readonly pageLayers = FEATURES.flatMap(({ layers = [] }) => layers);
  private late = false;
  /** On a phone: whether the page next to the map is drawn down, so that the map is seen. */
  private isLow = false;
  private lateTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.watch(
      route,
      session.status,
      session.user,
      session.config,
      session.ended,
      live.state,
      live.total,
      live.selectedHex,
      live.isReplay,
      live.isStale,
      simulated,
      silent,
      preferences,
      dark,
      announcement,
      isNarrow,
    );
    live.state.subscribe((state) => this.noteState(state));
    setTimeout(() => {
      if (session.status.value !== "loading") return;
      this.late = true;
      this.requestUpdate();
    }, WAIT_FOR_CHANNEL_MS);
    window.addEventListener("keydown", runShortcut);
    const search = (): void => {
      if (!live.filter.value.text) return;
      stop();
      loadOperators().catch((error: unknown) => console.warn("Operators have no names:", error));
    };
    const stop = live.filter.subscribe(search);
    search();
    let before = route.value.page;
    route.subscribe(({ page }) => {
      if (page !== before) this.isLow = false;
      before = page;
    });
  }

  /** Say that the service is away once it has been for a while, however often it is tried meanwhile. */
  private noteState(state: ChannelState): void {
    if (state === "open" || state === "idle" || state === "refused") {
      clearTimeout(this.lateTimer);
      this.lateTimer = undefined;
      this.late = false;
    } else if (state === "waiting") {
      this.lateTimer ??= setTimeout(() => {
        this.late = true;
        this.requestUpdate();
      }, WAIT_FOR_CHANNEL_MS);
    }
  }

  private get page(): OpenPage {
    const asked = pageOf(route.value.page);
    if (asked?.isOpen()) return asked;
    const isSomebody = session.status.value !== "anonymous" || session.config.value?.auth_mode === "public";
    return (isSomebody ? undefined : pageAt("signIn")) ?? menu()[0];
  }

  /** Fetch the script of an element; what cannot be fetched is tried again after a pause. */
  private load(element: string, script: () => Promise<unknown>): void {
    if (this.loaded.has(element)) return;
    this.loaded.add(element);
    script().then(
      () => {
        this.failed = null;
        this.requestUpdate();
      },
      (error: unknown) => {
        this.failed = String(error);
        this.requestUpdate();
        setTimeout(() => {
          this.loaded.delete(element);
          this.requestUpdate();
        }, FETCH_AGAIN_MS);
      },
    );
  }

  /** What stands in the place of an element whose script is not here. */
  private get waiting(): string {
    return t(this.failed ? "page.failed" : "loading");
  }

  private state(): TemplateResult {
    const total = live.total.value;
    let state: ChannelState | "replay" | "stopped" = live.isReplay.value ? "replay" : live.state.value;
    if (state === "open" && live.isStale.value) state = "stopped";
    const isLive = state === "open" || state === "replay";
    return html`<span class="state state-${state}" title=${live.detail.value}>
      <i class="lamp" aria-hidden="true"></i>
      <span class="state-text">${t(`state.${state}`)}</span>
      ${isLive ? html`<b class="count">${number(total)}</b><span class="state-unit">${t("aircraft.count", { n: total })}</span>` : nothing}
    </span>`;
  }

  private signInLink(): TemplateResult | typeof nothing {
    const page = pageAt("signIn");
    return page ? html`<a href="#/${page.name}">${t(page.title)}</a>` : nothing;
  }

  private banner(): TemplateResult | typeof nothing {
    if (session.ended.value) {
      return html`<div class="banner" role="status"><span>${t("session.ended")}</span> ${this.signInLink()}
        <button class="plain" @click=${() => session.ended.set(false)} aria-label=${t("close")}>${icon("close")}</button></div>`;
    }
    if (this.late && this.lateTimer !== undefined && !live.isReplay.value) {
      return html`<div class="banner" role="status"><span>${t("state.lost")}</span></div>`;
    }
    if (live.isStale.value && live.state.value === "open" && !live.isReplay.value) {
      return html`<div class="banner" role="status"><span>${t("state.stale")}</span></div>`;
    }
    return nothing;
  }

  protected override render(): TemplateResult {
    if (session.status.value === "loading") {
      return html`<div class="splash" role="status">${mark()}<p>${t(this.late ? "state.unreachable" : "state.connecting")}</p></div>`;
    }
    const page = this.page;
    if (session.canView("aircraft")) this.load(MAP, loadMap);
    if (page.element && page.load) this.load(page.element, page.load);
    const showMap = session.canView("aircraft") && page.overMap === true;
    const classes = [
      "app",
      `page-${page.name}`,
      showMap ? "with-map" : "without-map",
      live.selectedHex.value ? "has-selection" : "",
      preferences.value.listOpen ? "" : "list-closed",
      this.isLow ? "drawer-low" : "",
    ];
    document.title = page.name === "map" ? "Skywatch" : `${t(page.title)} – Skywatch`;
    return html`<div class=${classes.join(" ")}>
      <a class="skip" href="#main" @click=${this.skip}>${t("nav.skip")}</a>
      <header class="head">
        <a class="brand" href="#/map">${mark()}<span>Skywatch</span></a>
        ${isNarrow.value ? nothing : html`<sw-navigation></sw-navigation>`}
        ${page.place === "signIn" && live.state.value === "idle" ? html`<span class="state"></span>` : this.state()}
        ${person("person")}
      </header>
      ${this.banner()}
      <main id="main" tabindex="-1">
        ${
          session.canView("aircraft")
            ? html`<section class="live" ?inert=${!showMap} ?hidden=${!showMap}>
              ${customElements.get(MAP) ? html`<sw-map .pageLayers=${this.pageLayers}></sw-map>` : html`<p class="map-waiting" role="status">${this.waiting}</p>`}
              ${page.name === "map" ? html`${simulatedCard()}${receptionCard()}<sw-list></sw-list>${live.selectedHex.value ? this.panel() : nothing}` : nothing}
            </section>`
            : nothing
        }
        ${page.element && page.overMap ? html`<button class="drawer-handle" aria-label=${t("nav.drawer")} aria-expanded=${!this.isLow} @click=${this.toggleDrawer}></button>` : nothing}
        ${page.element ? this.pageElement(page) : nothing}
        <sw-notice></sw-notice>
      </main>
      ${isNarrow.value ? html`<sw-navigation></sw-navigation>` : nothing}
      <div class="visually-hidden" role="status" aria-live="polite">${announcement.value}</div>
    </div>`;
  }

  private panel(): TemplateResult {
    const parts = FEATURES.flatMap(({ name, panelParts = [] }) =>
      panelParts.filter(({ isOpen }) => isOpen?.() ?? session.canView(name)),
    );
    const actions = FEATURES.flatMap(({ panelActions = [] }) => panelActions)
      .filter(({ isOpen }) => isOpen())
      .sort((one, other) => one.order - other.order);
    const links = FEATURES.flatMap(({ name, panelLinks = [] }) => (session.canView(name) ? panelLinks : []));
    return html`<sw-panel .parts=${parts} .actions=${actions} .links=${links}></sw-panel>`;
  }

  private pageElement(page: OpenPage): TemplateResult {
    // A page next to the map draws on it from its first moment on.
    const needsMap = page.overMap && session.canView("aircraft");
    if (!customElements.get(page.element!) || (needsMap && !customElements.get(MAP))) {
      return html`<section class="page ${page.overMap ? "drawer" : ""}"><p class="empty" role="status">${this.waiting}</p></section>`;
    }
    const tag = unsafeStatic(page.element!); // One of the names of the features, never what a person or the service wrote.
    return staticHtml`<${tag} tabindex="0" class="page ${page.overMap ? "drawer" : ""}"></${tag}>`;
  }

  private readonly skip = (event: Event): void => {
    event.preventDefault();
    this.querySelector<HTMLElement>("#main")?.focus();
  };

  private readonly toggleDrawer = (): void => {
    this.isLow = !this.isLow;
    this.requestUpdate();
  };
}

customElements.define("sw-app", App);

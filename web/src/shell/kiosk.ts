// The kiosk: the map alone, which goes from one view of the installation to the next. Nobody signs in, nothing is stored.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../core/address";
import { kiosk } from "../core/kiosk";
import { t } from "../i18n/i18n";
import { live } from "../live/live";
import type { MapElement } from "../map/map";
import { session } from "../session/session";
import { mark } from "../ui/icons";
import { View } from "../ui/view";

const FETCH_AGAIN_MS = 5000;

class KioskElement extends View {
  private isMapHere = false;
  private shown = 0;
  private isTurning = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.watch(session.status, session.config, live.state, live.isStale);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.fetchMap();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  /** Nobody is there to try again. */
  private async fetchMap(): Promise<void> {
    try {
      await import("../map/map");
      this.isMapHere = true;
      this.requestUpdate();
    } catch (error) {
      console.warn("The map cannot be fetched:", error);
      setTimeout(() => void this.fetchMap(), FETCH_AGAIN_MS);
    }
  }

  /** An address that names a place stays there. */
  protected override updated(): void {
    const map = this.querySelector<MapElement>("sw-map");
    if (!map || this.isTurning || route.value.query.at) return;
    this.isTurning = true;
    void map.updateComplete.then(() => this.turn(map));
  }

  private turn(map: MapElement): void {
    const { views } = kiosk!;
    const view = views[this.shown % views.length];
    if (!view) return;
    map.showPlace(view);
    this.requestUpdate();
    this.timer = setTimeout(() => {
      this.shown += 1;
      this.turn(map);
    }, view.seconds * 1000);
  }

  protected override render(): TemplateResult {
    if (session.status.value === "loading")
      return html`<div class="splash" role="status">${mark()}<p>${t("state.connecting")}</p></div>`;
    if (!session.canView("aircraft")) return html`<p class="kiosk-note" role="status">${t("kiosk.not_open")}</p>`;
    if (!this.isMapHere) return html`<p class="kiosk-note" role="status">${t("loading")}</p>`;
    const { views } = kiosk!;
    const name = this.isTurning && views.length ? views[this.shown % views.length].name : "";
    return html`<main class="kiosk" aria-label=${t("kiosk.label")}>
      <sw-map></sw-map>
      ${name ? html`<p class="kiosk-name">${name}</p>` : nothing}
      ${live.state.value === "waiting" ? html`<p class="kiosk-state" role="status">${t("state.lost")}</p>` : live.isStale.value ? html`<p class="kiosk-state" role="status">${t("state.stale")}</p>` : nothing}
    </main>`;
  }
}

customElements.define("sw-kiosk", KioskElement);

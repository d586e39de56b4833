// Who hears the selected aircraft now: receivers and feeders with the strength of their newest signal.
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { number, t } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { clock } from "../../ui/units";
import { View } from "../../ui/view";

type Hearer = Schemas["HeardBy"];

const REFRESH_MS = 10_000;

class HeardBy extends View {
  static override properties: PropertyDeclarations = { hex: {} };
  declare hex: string;
  private hearers: Hearer[] = [];
  private shownFor = "";
  private timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(() => document.hidden || void this.read(), REFRESH_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  protected override willUpdate(): void {
    if (this.hex === this.shownFor) return;
    this.shownFor = this.hex;
    this.hearers = [];
    void this.read();
  }

  private async read(): Promise<void> {
    const { hex } = this;
    if (!session.can("system.view_status") && !session.can("feeders.view")) return;
    try {
      const { heard_by } = await call("GET aircraft/{icao_hex}", { path: { icao_hex: hex } });
      if (hex !== this.hex) return;
      this.hearers = heard_by ?? [];
      this.requestUpdate();
    } catch (error) {
      // It may have left in the meantime.
      console.debug("Who hears the aircraft cannot be read:", error);
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.hearers.length) return nothing;
    return html`<section class="panel-heard-by" aria-label=${t("quality.heard_by")}><h3>${t("quality.heard_by")}</h3>
      <ul>${this.hearers.map((one) => html`<li>${one.count === undefined ? named(one) : t(this.hearers.length > 1 ? "quality.others" : "quality.unnamed", { n: one.count })}</li>`)}</ul></section>`;
  }
}

function named({ name, rssi, last_at }: Hearer): TemplateResult {
  return html`<b>${name}</b> <span>${rssi === null || rssi === undefined ? "–" : `${number(rssi, 1)} dBFS`}</span> <small>${last_at ? clock(last_at) : ""}</small>`;
}

customElements.define("sw-heard-by", HeardBy);

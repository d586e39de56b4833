// The last ACARS messages of the selected aircraft, as they come.
import { html, nothing, type TemplateResult } from "lit";
import { clock } from "../../ui/units";
import { View } from "../../ui/view";
import { t } from "../../i18n/i18n";
import { live } from "../../live/live";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";

const SHOWN = 5;

class Messages extends View {
  static override properties = { hex: {} };
  declare hex: string;
  private messages: Schemas["AcarsRecord"][] = [];
  private shownFor = "";
  private stop: (() => void) | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.stop = live.happening.subscribe((news) => {
      if (news?.topic === "acars" && !news.data.past && String(news.data.icao_hex ?? "").toLowerCase() === this.hex)
        void this.read();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.();
  }

  protected override willUpdate(): void {
    if (this.hex === this.shownFor) return;
    this.shownFor = this.hex;
    this.messages = [];
    void this.read();
  }

  private async read(): Promise<void> {
    const { hex } = this;
    // A made-up address is nobody's.
    if (!session.canView("acars") || hex.startsWith("~")) return;
    try {
      const { messages } = await call("GET acars/messages", {
        query: { icao_hex: hex, acknowledgements: false, limit: SHOWN },
      });
      if (hex !== this.hex) return;
      this.messages = messages;
      this.requestUpdate();
    } catch (error) {
      console.warn("The messages of the aircraft cannot be read:", error);
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.messages.length) return nothing;
    return html`<section class="panel-messages" aria-label=${t("nav.acars")}>
      <h3>${t("nav.acars")} <a href="#/acars?icao_hex=${this.hex}">${t("panel.all_messages")}</a></h3>
      <ul class="cards">${this.messages.map(
        (one) =>
          html`<li><p><span class="tag">${one.label ?? "–"}</span> ${one.decoded?.title ?? one.label_name ?? ""} <small>${clock(one.at)}</small></p>${one.text ? html`<pre class="acars-text">${one.text}</pre>` : nothing}</li>`,
      )}</ul></section>`;
  }
}

customElements.define("sw-messages", Messages);

// What was: flights and their tracks, the sky replayed on a time line, where aircraft were, and how far was heard.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { t } from "../../i18n/i18n";
import { View } from "../../ui/view";
import "./density";
import "./flights";
import "./replay";

type Tab = "flights" | "replay" | "heatmap" | "coverage";
const TABS: Tab[] = ["flights", "replay", "heatmap", "coverage"];

class History extends View {
  constructor() {
    super();
    this.watch(route);
  }

  private get tab(): Tab {
    const tab = route.value.query.tab as Tab;
    return TABS.includes(tab) ? tab : "flights";
  }

  private shown(): TemplateResult {
    if (this.tab === "flights") return html`<sw-history-flights></sw-history-flights>`;
    if (this.tab === "replay") return html`<sw-history-replay></sw-history-replay>`;
    return html`<sw-history-density .kind=${this.tab}></sw-history-density>`;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (route.value.page !== "history") return nothing;
    return html`<div class="sheet">
      <header><h1>${t("nav.history")}</h1></header>
      <div class="tabs" role="tablist" aria-label=${t("nav.history")}>${TABS.map((tab) => html`<button role="tab" aria-selected=${tab === this.tab} @click=${() => note({ tab: tab === "flights" ? null : tab })}>${t(`history.${tab}`)}</button>`)}</div>
      ${this.shown()}
    </div>`;
  }
}

customElements.define("sw-history", History);

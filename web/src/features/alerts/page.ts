// Alerts: what was announced, the rules that announce, what they refer to, and where announcements are sent.
import { html, type TemplateResult } from "lit";
import { go, route } from "../../core/address";
import { View } from "../../ui/view";
import { t } from "../../i18n/i18n";
import { session } from "../../session/session";
import { go as show, type Tab, TABS } from "./address";
import { parts } from "./tabs";

class Alerts extends View {
  private loaded = new Set<Tab>();

  constructor() {
    super();
    this.watch(route, session.user);
  }

  private get tab(): Tab {
    const asked = route.value.query.tab as Tab;
    return this.tabs.includes(asked) ? asked : "history";
  }

  /** Rules and what belongs to them are somebody's; nobody in particular sees no more than why. */
  private get tabs(): Tab[] {
    return session.user.value ? TABS : ["history"];
  }

  private load(tab: Tab): void {
    if (this.loaded.has(tab)) return;
    this.loaded.add(tab);
    void parts[tab].load().then(() => this.requestUpdate());
  }

  private readonly key = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const { tabs } = this;
    const at = tabs.findIndex((tab) => `tab-${tab}` === (event.target as HTMLElement).id);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    show(next);
    this.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
    event.preventDefault();
  };

  protected override render(): TemplateResult {
    const { tab } = this;
    this.load(tab);
    return html`<div class="sheet alerts">
      <header><h1>${t("nav.alerts")}</h1></header>
      <div class="tabs" role="tablist" aria-label=${t("nav.alerts")} @keydown=${this.key}>
        ${this.tabs.map((one) => html`<button role="tab" id="tab-${one}" aria-selected=${one === tab} aria-controls="alerts-part" tabindex=${one === tab ? 0 : -1} @click=${() => show(one)}>${t(`alerts.${one}`)}</button>`)}
      </div>
      <div role="tabpanel" id="alerts-part" aria-labelledby="tab-${tab}">
        ${session.user.value ? parts[tab].show() : html`<p class="empty">${t("alerts.sign_in")} <a href="#/login" @click=${(event: Event) => this.signIn(event)}>${t("sign_in")}</a></p>`}
      </div>
    </div>`;
  }

  private signIn(event: Event): void {
    event.preventDefault();
    go("login", { next: "alerts" });
  }
}

customElements.define("sw-alerts", Alerts);

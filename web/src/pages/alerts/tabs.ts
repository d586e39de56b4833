// The parts of the alerts page, each fetched when it is opened.
import { html, type TemplateResult } from "lit";
import { go as goTo } from "../../core/address";

export const TABS: Tab[] = ["history", "rules", "geofences", "watchlists", "channels", "deliveries"];
export type Tab = "history" | "rules" | "geofences" | "watchlists" | "channels" | "deliveries";

export const parts: Record<Tab, { load: () => Promise<unknown>; show: () => TemplateResult }> = {
  history: { load: () => import("./history"), show: () => html`<sw-alert-history></sw-alert-history>` },
  rules: { load: () => import("./rules"), show: () => html`<sw-alert-rules></sw-alert-rules>` },
  geofences: { load: () => import("./geofences"), show: () => html`<sw-geofences></sw-geofences>` },
  watchlists: { load: () => import("./watchlists"), show: () => html`<sw-watchlists></sw-watchlists>` },
  channels: { load: () => import("./channels"), show: () => html`<sw-channels></sw-channels>` },
  deliveries: { load: () => import("./deliveries"), show: () => html`<sw-deliveries></sw-deliveries>` },
};

export function go(tab: Tab, query: Record<string, string> = {}): void {
  goTo("alerts", tab === "history" ? query : { tab, ...query });
}

// The parts of the alerts page, each fetched when it is opened.
import { html, type TemplateResult } from "lit";
import { type Tab } from "./address";

export const parts: Record<Tab, { load: () => Promise<unknown>; show: () => TemplateResult }> = {
  history: { load: () => import("./history"), show: () => html`<sw-alert-history></sw-alert-history>` },
  rules: { load: () => import("./rules/rules"), show: () => html`<sw-alert-rules></sw-alert-rules>` },
  geofences: { load: () => import("./geofences/geofences"), show: () => html`<sw-geofences></sw-geofences>` },
  watchlists: { load: () => import("./watchlists"), show: () => html`<sw-watchlists></sw-watchlists>` },
  channels: { load: () => import("./channels/channels"), show: () => html`<sw-channels></sw-channels>` },
  deliveries: { load: () => import("./channels/deliveries"), show: () => html`<sw-deliveries></sw-deliveries>` },
};

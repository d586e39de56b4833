// The addresses of the parts of the alerts page.
import { go as goTo } from "../../core/address";

export const TABS: Tab[] = ["history", "rules", "geofences", "watchlists", "channels", "deliveries"];
export type Tab = "history" | "rules" | "geofences" | "watchlists" | "channels" | "deliveries";

export function go(tab: Tab, query: Record<string, string> = {}): void {
  goTo("alerts", tab === "history" ? query : { tab, ...query });
}

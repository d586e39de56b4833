// Alerts: what was announced, and the rules, geofences, watch lists and channels behind it.
import { format } from "../../core/address";
import { saidIn, word } from "../../i18n/i18n";
import { FLAG } from "../../live/messages";
import { call } from "../../session/api";
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import { may } from "./types";
import "./style.css";

const BELL =
  "M10 3a4.6 4.6 0 0 0-4.6 4.6c0 4-1.6 5-1.6 5.8h12.4c0-.8-1.6-1.8-1.6-5.8A4.6 4.6 0 0 0 10 3M8.2 16a1.9 1.9 0 0 0 3.6 0";

/** Alerts of this person that nobody has acknowledged. */
async function unread(): Promise<number> {
  if (!session.user.value) return 0;
  return (await call("GET alerts/history/", { query: { acknowledged: false, limit: 1 } })).count;
}

export const alerts: Feature = {
  name: "alerts",
  pages: [
    {
      name: "alerts",
      title: "nav.alerts",
      icon: BELL,
      element: "sw-alerts",
      load: () => import("./page"),
      overMap: true,
      section: "alerts",
      badge: { title: "alerts.unread", count: unread, isChangedBy: (event) => event.startsWith("alert:") },
    },
  ],
  hasTopic: true,
  hasScope: true,
  notice: (event, data) =>
    event === "alert:triggered" ? { title: word("level", String(data.priority)), text: saidIn(data, "message") } : null,
  severalNotices: "alerts.new",
  panelActions: [
    {
      word: "alerts.action",
      title: "alerts.action_hint",
      icon: BELL,
      order: 1,
      isOpen: () => may("create"),
      href: (aircraft) =>
        format({
          page: "alerts",
          query: { tab: "rules", id: "new", about: aircraft.hex, as: aircraft.callsign || aircraft.registration },
        }),
    },
    {
      word: "watchlist.action",
      title: "watchlist.action_hint",
      icon: "M3.5 5h9M3.5 10h6M3.5 15h6M14 10v6M11 13h6",
      order: 2,
      isOpen: () => may("create") || may("edit"),
      href: (aircraft) =>
        format({
          page: "alerts",
          query: { tab: "watchlists", add: aircraft.hex, as: aircraft.registration || aircraft.callsign },
        }),
    },
  ],
  marks: [
    {
      flag: FLAG.alert,
      title: "aircraft.alert",
      icon: BELL,
      href: ({ flight }) => `#/alerts?q=${encodeURIComponent(String(flight ?? "").trim())}`,
    },
  ],
};

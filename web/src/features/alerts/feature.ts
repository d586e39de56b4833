// Alerts: what was announced, and the rules, geofences, watch lists and channels behind it.
import { saidIn, word } from "../../i18n/i18n";
import { FLAG } from "../../live/messages";
import { call } from "../../session/api";
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
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
      inBar: true,
      badge: { title: "alerts.unread", count: unread, isChangedBy: (event) => event.startsWith("alert:") },
    },
  ],
  hasTopic: true,
  hasScope: true,
  notice: (event, data) =>
    event === "alert:triggered" ? { title: word("level", String(data.priority)), text: saidIn(data, "message") } : null,
  severalNotices: "alerts.new",
  marks: [
    {
      flag: FLAG.alert,
      title: "aircraft.alert",
      icon: BELL,
      href: ({ flight }) => `#/alerts?q=${encodeURIComponent(String(flight ?? "").trim())}`,
    },
  ],
};

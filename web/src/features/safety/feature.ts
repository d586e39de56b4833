// Safety: dangerous events, and where satellite navigation is disturbed.
import { saidIn, word } from "../../i18n/i18n";
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import "./style.css";

export const safety: Feature = {
  name: "safety",
  pages: [
    {
      name: "safety",
      title: "nav.safety",
      icon: "M10 3l7.5 13.2h-15zM10 8v4M10 14.1v.2",
      element: "sw-safety",
      load: () => import("./page"),
      overMap: true,
    },
  ],
  hasTopic: true,
  hasScope: true,
  isSource: true,
  notice: (event, data) =>
    event === "safety:event" && data.severity === "critical"
      ? { title: word("safety", String(data.type)), text: saidIn(data, "message") }
      : null,
  severalNotices: "safety.new",
  overlays: [
    {
      name: "areas",
      title: "safety.areas_layer",
      isOffered: () => session.canView("safety"),
      load: () => import("./areas").then(({ areasOverlay }) => areasOverlay()),
    },
  ],
  layers: [{ page: "safety", load: () => import("./page").then(({ layer }) => layer) }],
};

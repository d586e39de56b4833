// Safety: dangerous events, and where satellite navigation is disturbed.
import { word } from "../../i18n/i18n";
import type { Feature } from "../../shell/feature";

export const safety: Feature = {
  name: "safety",
  pages: [{ name: "safety", title: "nav.safety", icon: "M10 3l7.5 13.2h-15zM10 8v4M10 14.1v.2", element: "sw-safety", load: () => import("./page"), overMap: true }],
  hasTopic: true,
  hasScope: true,
  isSource: true,
  notice: (event, data) => (event === "safety:event" && data.severity === "critical" ? { title: word("safety", String(data.type)), text: String(data.message) } : null),
  layers: [{ page: "safety", load: () => import("./page").then(({ layer }) => layer) }],
};

// What was: flights, replays, heat map and coverage.
import type { Feature } from "../../shell/feature";
import "./style.css";

const ICON = "M3.4 10a6.6 6.6 0 1 0 2-4.7M3 3.2v3.4h3.4M10 6v4.3l2.8 1.7";

export const history: Feature = {
  name: "history",
  pages: [
    {
      name: "history",
      title: "nav.history",
      icon: ICON,
      element: "sw-history",
      load: () => import("./page"),
      overMap: true,
      section: "history",
    },
  ],
  hasScope: true,
  panelLinks: [{ title: "panel.history", icon: ICON, href: (hex) => `#/history?icao_hex=${hex.replace("~", "")}` }],
};

// The station: what it receives, what it received, and whether it is well.
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import "./style.css";

export const system: Feature = {
  name: "system",
  permission: "system.view_status",
  pages: [
    {
      name: "stats",
      title: "nav.stats",
      icon: "M3.5 16.5h13M5.5 14V9.5M9 14V5M12.5 14v-6M16 14v-2.5",
      element: "sw-stats",
      load: () => import("./page"),
      // Half of the page is about the days before.
      isOpen: () => session.canView("history") || session.canView("system"),
    },
  ],
  hasTopic: true,
  hasScope: true,
};

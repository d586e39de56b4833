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
      section: "station",
      // Half of the page is about the days before.
      isOpen: () => session.canView("history") || session.canView("system"),
    },
    {
      name: "station",
      title: "nav.station",
      icon: "M10 17V8M6.5 17h7M10 8a1.6 1.6 0 1 0 0-.01M6 10.5a5 5 0 0 1 0-7M14 10.5a5 5 0 0 0 0-7",
      element: "sw-station",
      load: () => import("./station"),
      overMap: true,
      // The console leads to it, and it leads back there.
      place: "none",
      isOpen: () => session.user.value?.permissions.includes("system.manage") ?? false,
    },
  ],
  hasTopic: true,
  hasScope: true,
  isSource: {
    title: "system.source",
    isOffered: () => session.user.value?.permissions.includes("system.manage") ?? false,
  },
};

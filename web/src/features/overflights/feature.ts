// Overflights: who flies low over a place, and reports about it on a schedule.
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import "./style.css";

export const overflights: Feature = {
  name: "overflights",
  pages: [
    {
      name: "overflights",
      title: "nav.overflights",
      icon: "M3 13.5l14-5M13.8 7.2L17 8.5l-1.8 3M3 16.8h2.5v-2.3L8 12.6l2.5 1.9v2.3H17",
      element: "sw-overflights",
      load: () => import("./page"),
      overMap: true,
      isOpen: () => session.can("history.view"),
    },
  ],
};

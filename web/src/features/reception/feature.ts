// How well each receiver and feeder receives, who hears an aircraft, and rules on receivers that fall silent.
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import ruleFields from "./rule_fields.json";
import "./style.css";

export const reception: Feature = {
  name: "reception",
  pages: [
    {
      name: "reception",
      title: "nav.reception",
      icon: "M10 10L15.5 4.5M10 3a7 7 0 1 0 7 7M10 6.5a3.5 3.5 0 1 0 3.5 3.5",
      element: "sw-reception",
      load: () => import("./page"),
      overMap: true,
      section: "station",
      isOpen: () => session.can("system.view_status"),
    },
  ],
  layers: [{ page: "reception", load: async () => (await import("./coverage")).coverageLayer() }],
  panelParts: [
    {
      element: "sw-heard-by",
      load: () => import("./heard_by"),
      isOpen: () => session.can("system.view_status") || session.can("feeders.view"),
    },
  ],
  receiverParts: [{ element: "sw-reception-charts", load: () => import("./charts") }],
  ruleFields,
};

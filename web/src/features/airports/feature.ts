// Airports: what lands at them and takes off, what is expected, and rules on movements.
import { format } from "../../core/address";
import { airportClick } from "../../map/airport_click";
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import ruleFields from "./rule_fields.json";
import "./style.css";

const isOpen = (): boolean => session.can("history.view") && session.can("aircraft.view");

airportClick.open = (ident) => {
  if (isOpen()) location.hash = format({ page: "airports", item: ident, query: {} });
  return isOpen();
};

export const airports: Feature = {
  name: "airports",
  pages: [
    {
      name: "airports",
      title: "nav.airports",
      icon: "M10 2.8v14.4M6.2 17.2h7.6M10 5.5L3.5 9.5v1.6L10 9.4l6.5 1.7V9.5z",
      element: "sw-airports",
      load: () => import("./page"),
      overMap: true,
      isOpen,
    },
  ],
  ruleFields,
};

// Where aircraft come from and go to: a part of the panel, and fields of alert rules.
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import ruleFields from "./rule_fields.json";
import "./style.css";

export const routes: Feature = {
  name: "routes",
  pages: [],
  panelParts: [
    { element: "sw-route", place: "head", load: () => import("./route"), isOpen: () => session.can("aircraft.view") },
  ],
  ruleFields,
};

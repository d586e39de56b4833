// ACARS: messages between aircraft and the ground.
import type { Feature } from "../../shell/feature";
import ruleFields from "./rule_fields.json";
import "./style.css";

export const acars: Feature = {
  name: "acars",
  pages: [
    {
      name: "acars",
      title: "nav.acars",
      icon: "M3.5 4.5h13v8.6h-7L6 16.4v-3.3H3.5zM6.6 7.5h6.8M6.6 10h4.4",
      element: "sw-acars",
      load: () => import("./page"),
      overMap: true,
      section: "radio",
    },
  ],
  hasTopic: true,
  hasScope: true,
  panelParts: [{ element: "sw-messages", load: () => import("./messages") }],
  ruleFields,
};

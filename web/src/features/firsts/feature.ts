// Firsts and records: the journal of each day, the records of the station, and how often an aircraft was here.
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import ruleFields from "./rule_fields.json";
import "./style.css";

const isOpen = (): boolean => session.can("history.view");

export const firsts: Feature = {
  name: "firsts",
  pages: [
    {
      name: "journal",
      title: "nav.journal",
      icon: "M4.5 3.5h9a2 2 0 0 1 2 2v11h-9a2 2 0 0 1-2-2zM7.5 7h5M7.5 10h5",
      element: "sw-journal",
      load: () => import("./journal"),
      overMap: true,
      isOpen,
    },
    {
      name: "records",
      title: "nav.records",
      icon: "M6.5 3.5h7v4a3.5 3.5 0 0 1-7 0zM6.5 5H4v.8a2.7 2.7 0 0 0 2.7 2.7M13.5 5H16v.8a2.7 2.7 0 0 1-2.7 2.7M10 11v3.2M7 16.5h6",
      element: "sw-records",
      load: () => import("./records"),
      overMap: true,
      isOpen,
    },
  ],
  listTops: [
    {
      element: "sw-worth-a-look",
      load: () => import("./worth"),
      isOpen: () => isOpen() && session.can("aircraft.view"),
    },
  ],
  panelParts: [{ element: "sw-visits", load: () => import("./visits"), place: "head", isOpen }],
  ruleFields,
  isSource: { title: "firsts.summary", isOffered: isOpen },
};

// Law-enforcement aircraft around a person, and the list of those that are known.
import { format } from "../../core/address";
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import "./style.css";

/** Threats are around somebody: strangers have no page of their own. */
const isOpen = (): boolean => session.canView("cannonball") && session.user.value !== null;

export const cannonball: Feature = {
  name: "cannonball",
  pages: [
    {
      name: "cannonball",
      title: "nav.cannonball",
      icon: "M10 3a7 7 0 1 0 0 14a7 7 0 0 0 0-14M10 10l4.6-4.6M10 6.6a3.4 3.4 0 1 0 3.4 3.4",
      element: "sw-cannonball",
      load: () => import("./page"),
      isOpen,
    },
    {
      name: "known",
      title: "nav.known",
      icon: "M4 4.5h12v11H4zM7 8h6M7 11.5h4",
      element: "sw-known",
      load: () => import("./known"),
      isOpen,
    },
  ],
  panelActions: [
    {
      word: "known.action",
      title: "known.action_hint",
      icon: "M10 3l6 2.4v4.4c0 3.6-2.5 6-6 7.2-3.5-1.2-6-3.6-6-7.2V5.4zM10 7.2v5M7.5 9.7h5",
      order: 3,
      isOpen: () => isOpen() && session.can("cannonball.manage"),
      href: ({ hex, registration, type }) =>
        format({ page: "known", query: { add: hex.toUpperCase(), registration, aircraft_type: type } }),
    },
  ],
  hasScope: true,
  isSource: true,
};

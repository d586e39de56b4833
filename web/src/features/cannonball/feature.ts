// Law-enforcement aircraft around a person, and the list of those that are known.
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
  hasScope: true,
  isSource: true,
};

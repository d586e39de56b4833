// The pages of the application: where each is, what it needs, and the script it is fetched from when it is opened.
import type { TextKey } from "../i18n/i18n";
import { session } from "../session/session";
import type { IconName } from "../ui/icons";

export interface Page {
  name: string;
  title: TextKey;
  icon: IconName;
  /** The element of the page; null is the live map itself. */
  element: string | null;
  load: () => Promise<unknown>;
  isOpen: () => boolean;
  /** Whether the map stays beside the page. */
  overMap?: boolean;
  inMenu: boolean;
}

const none = (): Promise<unknown> => Promise.resolve();

export const PAGES: Page[] = [
  { name: "map", title: "nav.map", icon: "map", element: null, load: none, isOpen: () => session.canView("aircraft"), overMap: true, inMenu: true },
  { name: "history", title: "nav.history", icon: "history", element: "sw-history", load: () => import("../features/history/page"), isOpen: () => session.canView("history"), overMap: true, inMenu: true },
  { name: "stats", title: "nav.stats", icon: "stats", element: "sw-stats", load: () => import("../features/system/page"), isOpen: () => session.canView("history") || session.canView("system"), inMenu: true },
  { name: "cannonball", title: "nav.cannonball", icon: "cannonball", element: "sw-cannonball", load: () => import("../features/cannonball/page"), isOpen: () => session.canView("cannonball") && session.user.value !== null, inMenu: true },
  { name: "known", title: "nav.known", icon: "known", element: "sw-known", load: () => import("../features/cannonball/known"), isOpen: () => session.canView("cannonball") && session.user.value !== null, inMenu: true },
  { name: "alerts", title: "nav.alerts", icon: "alerts", element: "sw-alerts", load: () => import("../features/alerts/page"), isOpen: () => session.canView("alerts"), overMap: true, inMenu: true },
  { name: "safety", title: "nav.safety", icon: "safety", element: "sw-safety", load: () => import("../features/safety/page"), isOpen: () => session.canView("safety"), overMap: true, inMenu: true },
  { name: "acars", title: "nav.acars", icon: "acars", element: "sw-acars", load: () => import("../features/acars/page"), isOpen: () => session.canView("acars"), overMap: true, inMenu: true },
  { name: "audio", title: "nav.audio", icon: "audio", element: "sw-audio", load: () => import("../features/audio/page"), isOpen: () => session.canView("audio"), overMap: true, inMenu: true },
  { name: "settings", title: "nav.settings", icon: "settings", element: "sw-settings", load: () => import("./settings"), isOpen: () => true, overMap: true, inMenu: true },
  { name: "account", title: "nav.account", icon: "account", element: "sw-account", load: () => import("../features/accounts/account"), isOpen: () => session.user.value !== null, inMenu: false },
  { name: "login", title: "nav.login", icon: "account", element: "sw-login", load: () => import("../features/accounts/login"), isOpen: () => session.user.value === null, inMenu: false },
];

export function pageOf(name: string): Page | undefined {
  return PAGES.find((page) => page.name === name);
}

// One's own account, and the way into it.
import { session } from "../../session/session";
import type { Feature } from "../../shell/feature";
import "./style.css";

const ICON = "M10 3.4a3.3 3.3 0 1 0 0 6.6a3.3 3.3 0 0 0 0-6.6M3.8 16.6c.8-3 3.2-4.6 6.2-4.6s5.4 1.6 6.2 4.6";

export const accounts: Feature = {
  name: "accounts",
  pages: [
    {
      name: "account",
      title: "nav.account",
      icon: ICON,
      element: "sw-account",
      load: () => import("./account"),
      isOpen: () => session.user.value !== null,
      place: "account",
    },
    {
      name: "login",
      title: "sign_in",
      icon: ICON,
      element: "sw-login",
      load: () => import("./login"),
      isOpen: () => session.user.value === null,
      place: "signIn",
    },
    {
      name: "setup",
      title: "setup.title",
      icon: ICON,
      element: "sw-setup",
      load: () => import("./setup"),
      isOpen: () => session.user.value === null,
      place: "signIn",
    },
  ],
};

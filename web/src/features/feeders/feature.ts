// Receivers that connect to the service: whose they are, what they bring, and how one more is set up.
import { t } from "../../i18n/i18n";
import type { Feature } from "../../shell/feature";
import "./style.css";

export const feeders: Feature = {
  name: "feeders",
  pages: [
    {
      name: "feeders",
      title: "nav.feeders",
      icon: "M5 16.5V9M5 9a1.4 1.4 0 1 0 0-.01M2.6 10.6a3.4 3.4 0 0 1 0-4.8M7.4 5.8a3.4 3.4 0 0 1 0 4.8M11 13h6M14.5 10.5L17 13l-2.5 2.5",
      element: "sw-feeders",
      load: () => import("./page"),
      section: "station",
    },
  ],
  notice: (event, data) =>
    event === "feeder:uuid_copied" ? { title: t("feeders.copied_short"), text: String(data.name) } : null,
};

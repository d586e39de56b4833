// Audio: radio transmissions and what was said in them.
import type { Feature } from "../../shell/feature";
import "./style.css";

export const audio: Feature = {
  name: "audio",
  pages: [
    {
      name: "audio",
      title: "nav.audio",
      icon: "M4 8v4M7 5.5v9M10 3.5v13M13 6.5v7M16 8.5v3",
      element: "sw-audio",
      load: () => import("./page"),
      overMap: true,
      section: "radio",
    },
  ],
  hasTopic: true,
  hasScope: true,
};

// The live map with its list and the panel of the selected aircraft, which are rooms of their own.
import type { Feature } from "../../shell/feature";

export const aircraft: Feature = {
  name: "aircraft",
  pages: [
    {
      name: "map",
      title: "nav.map",
      icon: "M3 5.5l4.7-2 4.6 2 4.7-2v11l-4.7 2-4.6-2-4.7 2zM7.7 3.5v11M12.3 5.5v11",
      element: null,
      overMap: true,
      section: "map",
    },
  ],
  hasTopic: true,
  hasScope: true,
};

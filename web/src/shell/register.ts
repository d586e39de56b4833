// Makes the application of its features: what each declares goes where it is used, so that no room below names a feature.
import { MARKS } from "../list/marks";
import { LIST_TOPS } from "../list/tops";
import { live } from "../live/live";
import { OVERLAYS } from "../map/overlays/overlay";
import { session } from "../session/session";
import { FEATURES, PAGES, type Feature, type OpenPage } from "./feature";
import { RULE_FIELDS } from "./rule_fields";

const SETTINGS: OpenPage = {
  name: "settings",
  title: "nav.settings",
  icon: "M3 6h8M15 6h2M13 4.2v3.6M3 14h2M9 14h8M7 12.2v3.6",
  element: "sw-settings",
  load: () => import("./settings/page"),
  isOpen: () => true,
  overMap: true,
};

/** Make the application consist of these features, in this order; called once, before anything else. */
export function register(features: Feature[]): void {
  FEATURES.push(...features);
  const pages = features.flatMap(({ name, pages: own }) =>
    own.map((page) => ({ isOpen: () => session.canView(name), ...page })),
  );
  PAGES.push(...pages, SETTINGS);
  OVERLAYS.push(...features.flatMap(({ overlays = [] }) => overlays));
  LIST_TOPS.push(...features.flatMap(({ listTops = [] }) => listTops));
  MARKS.push(...features.flatMap(({ marks = [] }) => marks));
  Object.assign(RULE_FIELDS, ...features.map(({ ruleFields }) => ruleFields));
  live.topics.push(...features.filter(({ hasTopic }) => hasTopic).map(({ name }) => name));
  for (const { name, permission } of features) if (permission) session.viewPermissions[name] = permission;
}

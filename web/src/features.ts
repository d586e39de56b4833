// The one list of what the application consists of; its pages stand in this order in the menu.
import { aircraft } from "./features/aircraft/feature";
import { history } from "./features/history/feature";
import { routes } from "./features/routes/feature";
import { reception } from "./features/reception/feature";
import { system } from "./features/system/feature";
import { feeders } from "./features/feeders/feature";
import { cannonball } from "./features/cannonball/feature";
import { airports } from "./features/airports/feature";
import { firsts } from "./features/firsts/feature";
import { overflights } from "./features/overflights/feature";
import { alerts } from "./features/alerts/feature";
import { safety } from "./features/safety/feature";
import { acars } from "./features/acars/feature";
import { audio } from "./features/audio/feature";
import { accounts } from "./features/accounts/feature";
import type { Feature } from "./shell/feature";

// One a line, so that `skywatch new-feature` finds the place.
// prettier-ignore
export const FEATURES: Feature[] = [
  aircraft,
  routes,
  history,
  airports,
  firsts,
  overflights,
  system,
  cannonball,
  alerts,
  safety,
  acars,
  audio,
  reception,
  feeders,
  accounts,
];

// What the service's resources of alerts hold.
import type { Body, Schemas } from "../../session/operations";
import type { Node } from "./rules/conditions";
import { session } from "../../session/session";

export const PRIORITIES = ["info", "warning", "critical"] as const;
export type Priority = (typeof PRIORITIES)[number];
export const LEVEL_TAG: Record<string, string> = { critical: "danger", warning: "warning", info: "" };

/** The document has the tree of conditions as an object, whose grammar is that of `Node`. */
export type Rule = Omit<Schemas["RuleRecord"], "conditions"> & { conditions: Node };
export type NewRule = Body<"POST alerts/rules/">;
export type QuietWindow = Rule["quiet_hours"][number];
export type Fence = Schemas["GeofenceRecord"];
export type Watchlist = Schemas["WatchlistSummary"];
export type Channel = Schemas["ChannelRecord"];
export type Alert = Schemas["AlertHistoryRecord"];

/** Whether this person may do something with alerts of their own; nobody in particular has none. */
export function may(action: "create" | "edit" | "delete" | "manage_all"): boolean {
  return session.user.value !== null && session.can(`alerts.${action}`);
}

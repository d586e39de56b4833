// What the service's resources of alerts hold.
import { session } from "../../session/session";
import type { Node } from "./rules/conditions";
import type { Geometry } from "./geofences/fence_shape";

export const PRIORITIES = ["info", "warning", "critical"] as const;
export type Priority = (typeof PRIORITIES)[number];
export const LEVEL_TAG: Record<string, string> = { critical: "danger", warning: "warning", info: "" };

export interface QuietWindow {
  days: string[];
  from: string;
  to: string;
  timezone: string;
}
export interface Rule {
  id: number;
  username: string;
  name: string;
  description: string;
  enabled: boolean;
  priority: Priority;
  conditions: Node;
  for_s: number | null;
  cooldown_s: number;
  count: { op: string; value: number } | null;
  starts_at: string | null;
  expires_at: string | null;
  quiet_hours: QuietWindow[];
  channels: number[];
  visibility: "private" | "shared";
  message: string;
  mqtt: boolean;
  is_own: boolean;
  is_subscribed: boolean;
  /** Why it is not in force although it is enabled. */
  fault: string | null;
}
export interface Fence {
  id: number;
  name: string;
  geometry: Geometry;
  floor_ft: number | null;
  ceiling_ft: number | null;
}
export interface Watchlist {
  id: number;
  name: string;
  entry_count: number;
  entries?: string[];
}
export interface Channel {
  id: number;
  name: string;
  kind: "webhook" | "apprise" | "mqtt" | "web_push";
  address: string;
  enabled: boolean;
  minimum_priority: Priority;
  rate_per_minute: number;
  digest_s: number | null;
  send_cleared: boolean;
  sources: string[];
  state: "healthy" | "failing" | "disabled";
  failures: number;
  last_success_at: string | null;
  last_error: string | null;
  secret?: string | null;
}
export interface Alert {
  id: number;
  rule_id: number | null;
  rule_name: string;
  priority: Priority;
  icao_hex: string | null;
  callsign: string | null;
  registration: string | null;
  message: string;
  aircraft: Record<string, unknown>;
  matched: Record<string, unknown>[];
  geofence: string | null;
  count: number | null;
  triggered_at: string;
  cleared_at: string | null;
  acknowledged?: boolean;
  acknowledged_by?: string | null;
  deliveries?: { channel: number | string; state: string }[];
}

/** Whether this person may do something with alerts of their own; nobody in particular has none. */
export function may(action: "create" | "edit" | "delete" | "manage_all"): boolean {
  return session.user.value !== null && session.can(`alerts.${action}`);
}

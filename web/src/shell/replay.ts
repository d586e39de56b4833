// The way from a moment (of a flight, an alert, an event) to the replay of the sky around it.
import { format } from "../core/address";
import { pageOf } from "./feature";

const LEAD_S = 120;
const MINUTES = 15;
/** Lengths that the replay offers, in minutes. */
export const LENGTHS_MIN = [15, 60, 180, 360, 1440];

/** The address of a replay that begins a little before a moment and draws the tracks of these aircraft; null where nobody may replay. */
export function replayFrom(
  at: string,
  hexes: (string | null | undefined)[] = [],
  more: Record<string, string> = {},
): string | null {
  const moment = Date.parse(at);
  if (!pageOf("history")?.isOpen() || Number.isNaN(moment)) return null;
  return replayAddress(moment, hexes, more);
}

export function replayAddress(
  moment: number,
  hexes: (string | null | undefined)[],
  more: Record<string, string> = {},
): string {
  const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const hex = hexes.filter(Boolean).join(",").toLowerCase();
  return format({
    page: "history",
    query: { tab: "replay", begin: iso(moment - LEAD_S * 1000), minutes: String(MINUTES), hex, ...more },
  });
}

/** The shortest length that holds so many minutes. */
export function lengthFor(minutes: number): number {
  return LENGTHS_MIN.find((length) => length >= minutes) ?? LENGTHS_MIN[LENGTHS_MIN.length - 1];
}

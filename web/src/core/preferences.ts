// What the person at this browser prefers: kept here, and nothing of it is secret.
import { Cell } from "./cell";
import { kiosk } from "./kiosk";
import { useRamp, type RampName } from "./ramp";
import { readEntry, writeEntry } from "./storage";

export type Theme = "auto" | "light" | "dark";
export type UnitSystem = "aviation" | "metric" | "imperial";

export interface Preferences {
  language?: string;
  theme: Theme;
  units: UnitSystem;
  columns: string[];
  sort: string;
  labels: boolean;
  rings: boolean;
  airports: boolean;
  borders: boolean;
  trails: boolean;
  /** How far back the trails of all aircraft reach (minutes); 0: there are none. */
  allTrails: number;
  /** Fields of each line of a label. */
  labelLines: string[][];
  ramp: RampName;
  /** Names of the additional layers that are shown. */
  overlays: string[];
  /** Whether the list has aircraft on the ground below all others. */
  airFirst: boolean;
  /** The name of the chosen base map; none: the first one. */
  baseMap?: string;
  sound: boolean;
  /** Whether notices and sounds also tell what happens to simulated aircraft while there are no others. */
  simulatedNotices: boolean;
  /** Whether single keys act wherever the focus is. */
  shortcuts: boolean;
  /** Whether photos of aircraft are fetched from the source that the installation has, and whether that was decided. */
  photos: boolean;
  photosDecided: boolean;
  /** Groups of the panel's facts that are unfolded. */
  openFacts: string[];
  listWidth: number;
  listOpen: boolean;
  /** Whether the note that all aircraft are simulated was closed. */
  simulatedDismissed: boolean;
  /** The service's number of this browser, where it takes Web Push. */
  browser?: number;
}

/** A preference that is on or off. */
export type Switch = "labels" | "rings" | "airports" | "sound" | "simulatedNotices" | "shortcuts";

export const DEFAULTS: Preferences = {
  theme: "auto",
  units: "aviation",
  columns: ["flight", "t", "altitude", "gs", "distance"],
  sort: "distance",
  labels: true,
  rings: true,
  airports: true,
  borders: true,
  trails: true,
  allTrails: 0,
  labelLines: [["flight"], ["altitude", "gs"]],
  ramp: "even",
  overlays: [],
  airFirst: true,
  sound: false,
  simulatedNotices: false,
  shortcuts: true,
  photos: false,
  photosDecided: false,
  openFacts: [],
  listWidth: 430,
  listOpen: true,
  simulatedDismissed: false,
};
/** What a kiosk shows besides the aircraft; nobody is there to choose. */
const IN_KIOSK: Partial<Preferences> = { allTrails: 2, overlays: ["airspaces", "weather"] };
const ENTRY = "skywatch.preferences";

function stored(): Preferences {
  try {
    const stored = JSON.parse(readEntry(ENTRY) ?? "{}") as Partial<Preferences>;
    return { ...DEFAULTS, ...(kiosk ? IN_KIOSK : {}), ...stored };
  } catch {
    return { ...DEFAULTS }; // The storage holds something else.
  }
}

export const preferences = new Cell<Preferences>(stored());
useRamp(preferences.value.ramp);

export function prefer(change: Partial<Preferences>): void {
  const next = { ...preferences.value, ...change };
  useRamp(next.ramp);
  preferences.set(next);
  writeEntry(ENTRY, JSON.stringify(next));
}

const darkness = matchMedia("(prefers-color-scheme: dark)");
export const dark = new Cell<boolean>(isDark());
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

function isDark(): boolean {
  const { theme } = preferences.value;
  return theme === "dark" || (theme === "auto" && darkness.matches);
}

function applyTheme(): void {
  dark.set(isDark());
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", dark.value ? "#0b1320" : "#f4f1e8");
}

export function followTheme(): void {
  applyTheme();
  darkness.addEventListener("change", applyTheme);
  preferences.subscribe(applyTheme);
}

// What the person at this browser prefers: kept here, and nothing of it is secret.
import { Cell } from "./cell";

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
  /** The name of the chosen base map; none: the first one. */
  baseMap?: string;
  sound: boolean;
  /** Whether single keys act wherever the focus is. */
  shortcuts: boolean;
  listWidth: number;
  listOpen: boolean;
  /** Whether the note that all aircraft are simulated was closed. */
  simulatedDismissed: boolean;
  /** The service's number of this browser, where it takes Web Push. */
  browser?: number;
}

/** A preference that is on or off. */
export type Switch = "labels" | "rings" | "airports" | "sound" | "shortcuts";

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
  sound: false,
  shortcuts: true,
  listWidth: 430,
  listOpen: true,
  simulatedDismissed: false,
};
const ENTRY = "skywatch.preferences";

function stored(): Preferences {
  try {
    const found = JSON.parse(localStorage.getItem(ENTRY) ?? "{}") as Partial<Preferences>;
    return { ...DEFAULTS, ...found };
  } catch {
    return { ...DEFAULTS }; // Storage is switched off, or holds something else.
  }
}

export const preferences = new Cell<Preferences>(stored());

export function prefer(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.value, ...change });
  try {
    localStorage.setItem(ENTRY, JSON.stringify(preferences.value));
  } catch {
    // Without storage a choice lasts as long as the page.
  }
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

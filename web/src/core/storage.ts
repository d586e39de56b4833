// What this browser keeps for the application. Storage may be switched off, and a kiosk never touches it: then entries last
// as long as the page.
import { kiosk } from "./kiosk";

const memory = new Map<string, string>();

export function readEntry(name: string): string | null {
  if (kiosk) return memory.get(name) ?? null;
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

export function writeEntry(name: string, value: string | null): void {
  if (value === null) memory.delete(name);
  else memory.set(name, value);
  if (kiosk) return;
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Kept in memory alone.
  }
}

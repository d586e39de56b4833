// What is said to screen readers, and what is shown for a moment.
import { Cell } from "../core/cell";

export const announcement = new Cell<string>("");
export const notice = new Cell<{ kind: "info" | "error"; text: string; href?: string } | null>(null);
const SHOWN_MS = 6000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  announcement.set(text);
}

export function inform(text: string, kind: "info" | "error" = "info", href?: string): void {
  notice.set({ kind, text, href });
  clearTimeout(timer);
  timer = setTimeout(() => notice.set(null), SHOWN_MS);
}

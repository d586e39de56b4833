// A rule that is being written, kept for as long as this tab is open: whoever follows a link or goes back finds it again.
import { session } from "../../../session/session";

const ENTRY = "skywatch.rule";

interface Kept {
  /** Whose it is, and what it began with. */
  user: number;
  start: string;
  /** The address of its form. */
  address: string;
  draft: unknown;
}

/** The rule that this person has left unfinished. */
export function unfinished(): Kept | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(ENTRY) ?? "null") as Kept | null;
    return kept?.user === session.user.value?.id ? kept : null;
  } catch {
    return null; // Storage that is switched off, or holds something else.
  }
}

/** What was written of the rule that begins with this; null where nothing was. */
export function keptDraft<T>(start: unknown): T | null {
  const kept = unfinished();
  return kept?.start === JSON.stringify(start) ? (kept.draft as T) : null;
}

export function keepDraft(start: unknown, draft: unknown): void {
  const user = session.user.value?.id;
  write(user === undefined ? null : { user, start: JSON.stringify(start), address: location.hash, draft });
}

export function dropDraft(): void {
  write(null);
}

function write(kept: Kept | null): void {
  try {
    if (kept) sessionStorage.setItem(ENTRY, JSON.stringify(kept));
    else sessionStorage.removeItem(ENTRY);
  } catch (error) {
    console.debug("The rule that is being written cannot be kept:", error);
  }
}

// What is said to screen readers, and what is shown for a moment: answers to what the person did, and news of what happens
// elsewhere, of which several of a kind become one with their number.
import { Cell } from "../core/cell";

export interface Notice {
  kind: "info" | "error" | "news";
  text: string;
  href?: string;
}

/** News of a kind, which lead to a page: `sum` is the text of several. */
export interface Kind {
  name: string;
  href: string;
  sum: (n: number) => string;
}

interface Gathered {
  notice: Notice;
  kind: Kind;
  count: number;
  /** How many screen readers have not been given yet. */
  unannounced: number;
  isShown: boolean;
  announceTimer: ReturnType<typeof setTimeout> | undefined;
  end: ReturnType<typeof setTimeout> | undefined;
}

export const SHOWN_MS = 6000;
export const announcement = new Cell<string>("");
/** The one that is shown: the answer to what the person did, else the newest kind of news. */
export const notice = new Cell<Notice | null>(null);
let answer: Notice | null = null;
let answerEnd: ReturnType<typeof setTimeout> | undefined;
const gathered = new Map<string, Gathered>();

export function announce(text: string): void {
  announcement.set(text);
}

/** Show what became of something that the person did. */
export function inform(text: string, kind: "info" | "error" = "info", href?: string): void {
  answer = { kind, text, href };
  clearTimeout(answerEnd);
  answerEnd = setTimeout(() => {
    answer = null;
    show();
  }, SHOWN_MS);
  show();
}

/**
 * Tell news of a kind; whether it is the first for a while. What follows within the time that it is shown becomes a number.
 * Screen readers are told each once: the first at once, and what follows as one sum at most every few seconds. News about
 * the page that is open are said and not shown.
 */
export function publishNews(kind: Kind, text: string, isOpen = false): boolean {
  const present = gathered.get(kind.name);
  const entry = present ?? {
    notice: { kind: "news", text, href: kind.href },
    kind,
    count: 0,
    unannounced: 0,
    isShown: false,
    announceTimer: undefined,
    end: undefined,
  };
  entry.kind = kind;
  entry.count += 1;
  entry.isShown = !isOpen;
  entry.notice = { ...entry.notice, text: entry.count === 1 ? text : kind.sum(entry.count) };
  clearTimeout(entry.end);
  entry.end = setTimeout(() => forget(kind.name), SHOWN_MS);
  if (present) {
    entry.unannounced += 1;
    entry.announceTimer ??= setTimeout(() => announceRest(entry), SHOWN_MS / 2);
  } else announce(text);
  // The newest kind is the last entry.
  gathered.delete(kind.name);
  gathered.set(kind.name, entry);
  show();
  return !present;
}

function announceRest(entry: Gathered): void {
  entry.announceTimer = undefined;
  if (entry.unannounced) announce(entry.kind.sum(entry.unannounced));
  entry.unannounced = 0;
}

function forget(name: string): void {
  const entry = gathered.get(name);
  if (!entry) return;
  clearTimeout(entry.end);
  clearTimeout(entry.announceTimer);
  announceRest(entry);
  gathered.delete(name);
  show();
}

/** Close what is shown. */
export function dismiss(): void {
  if (answer) {
    clearTimeout(answerEnd);
    answer = null;
    show();
  } else for (const { kind, notice: own } of [...gathered.values()]) if (own === notice.value) forget(kind.name);
}

/** Show no news of a kind any longer: its page is open. */
export function seen(name: string): void {
  if (gathered.get(name)?.isShown) forget(name);
}

function show(): void {
  const news = [...gathered.values()].filter(({ isShown }) => isShown).at(-1);
  notice.set(answer ?? news?.notice ?? null);
}

// Days as people say them: today, yesterday, on Tuesday, on 3 March; and spans of time in them.
import { language, locale, t } from "../i18n/i18n";

const DAY_MS = 86_400_000;
const WEEK = 7;

/** How many midnights of this place lie between a moment and now. */
export function daysAgo(at: string | number, now = new Date()): number {
  const date = new Date(at);
  const [then, today] = [date, now].map((one) => Date.UTC(one.getFullYear(), one.getMonth(), one.getDate()));
  return (today - then) / DAY_MS;
}

/** Today or yesterday in words; empty for other days. */
function near(at: string | number, now: Date): string {
  const days = daysAgo(at, now);
  return days === 0 || days === 1
    ? new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(-days, "day")
    : "";
}

function written(at: string | number, now: Date, options: Intl.DateTimeFormatOptions): string {
  const isThisYear = new Date(at).getFullYear() === now.getFullYear();
  return new Date(at).toLocaleDateString(locale(), isThisYear ? options : { ...options, year: "numeric" });
}

/** The day after "since": yesterday, 3 March. */
export function sinceDay(at: string | number, now = new Date()): string {
  return near(at, now) || t("day.since_date", { day: written(at, now, { day: "numeric", month: "long" }) });
}

/** The day after "last": yesterday, on Tuesday, on 3 March. */
export function lastDay(at: string | number, now = new Date()): string {
  const days = daysAgo(at, now);
  if (days > 1 && days < WEEK)
    return t("day.on_weekday", { day: new Date(at).toLocaleDateString(locale(), { weekday: "long" }) });
  return near(at, now) || t("day.on_date", { day: written(at, now, { day: "numeric", month: "long" }) });
}

/** The day by itself: today, yesterday, 28 Nov. */
export function dayName(at: string | number, now = new Date()): string {
  return near(at, now) || written(at, now, { day: "numeric", month: "short" });
}

/** A span of time: `today 03:29 to 03:31`, `yesterday 23:50 to today 00:10`; to the minute, 24 hours a day. */
export function span(from: string, to: string, now = new Date()): string {
  const [begin, end] = [from, to].map((at) =>
    new Date(at).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  );
  const [first, last] = [dayName(from, now), dayName(to, now)];
  return t("day.span", { day: first, from: begin, to: first === last ? end : `${last} ${end}` });
}

// Days and times of the reader's own zone, as inputs have them and as the service takes them.

/** The day of a moment here (`2026-11-22`), or so many days later. */
export function dayOf(moment: Date, later = 0): string {
  const day = new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + later);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** From midnight to midnight here, 23 or 25 hours where clocks are changed; undefined for what is no day. */
export function daySpan(day: string): { from?: string; to?: string } {
  const [year, month, date] = day.split("-").map(Number);
  const [from, to] = [new Date(year, month - 1, date), new Date(year, month - 1, date + 1)];
  if (Number.isNaN(from.getTime())) return {};
  return { from: from.toISOString(), to: to.toISOString() };
}

/** The time of an input in this browser's zone, as the service takes it. */
export function instant(local: string | undefined): string | undefined {
  if (!local) return undefined;
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A moment as an input of a local date and time has it. */
export function localInput(moment: number): string {
  const date = new Date(moment);
  return `${dayOf(date)}T${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

// What went wrong, for people: the code of the service's answer in the reader's language, else its sentence.
import { has, t } from "../i18n/i18n";
import { ApiError } from "./api";

/** What is wrong with a field by its name, and with its entries ("entries.2") by their number. */
export function fieldFaults(error: unknown): Record<string, string> {
  return error instanceof ApiError ? Object.fromEntries(error.errors.map(({ name, detail }) => [name, detail])) : {};
}

/** The fault of a field out of those of a form; empty where there is none. */
export function faultOf(faults: Record<string, string>, field: string): string {
  const own = Object.entries(faults).filter(([name]) => name === field || name.startsWith(`${field}.`));
  return own
    .map(([name, detail]) =>
      /^\.\d+$/.test(name.slice(field.length))
        ? t("field.entry", { n: Number(name.slice(field.length + 1)) + 1, detail })
        : detail,
    )
    .join("; ");
}

/** The text of an error; faults of `fields` are shown at these fields and not repeated. Where the catalogue has none for its code, the service's own sentence. */
export function faultText(error: unknown, fields: readonly string[] = []): string {
  if (!(error instanceof ApiError)) return String(error instanceof Error ? error.message : error);
  if (error.code === "network") return t(error.isChange ? "state.not_sent" : "state.lost");
  const rest = error.errors.filter(
    ({ name }) => !fields.some((field) => name === field || name.startsWith(`${field}.`)),
  );
  if (error.errors.length && !rest.length) return t("form.check");
  const detail = rest.map((one) => `${one.name}: ${one.detail}`).join("; ") || error.message;
  const key = `error.${error.code}`;
  return has(key) ? t(key, { n: error.retryAfterS ?? 60 }) : detail;
}

/** Whether the service could not be asked, so that asking again may help. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === "network" || error.code === "unavailable" || error.status === 502 || error.status === 504)
  );
}

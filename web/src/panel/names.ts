// What the codes of an aircraft mean in words: its type, and the operator whose designator its callsign begins with. Both
// tables are fetched with the first selection.
import { Cell } from "../core/cell";
import { folded } from "../i18n/i18n";
import operators from "./names/operators.json";
import types from "./names/types.json";

type Table = Partial<Record<string, string>>;

/** An operator's callsign: the three letters of its ICAO designator, then a flight identification with a digit. */
const OPERATED = /^([A-Z]{3})(?=[A-Z]*\d)[0-9A-Z]{1,5}$/;
const MAX_NAMES = 20_000;

/** Operators that the installation names (`operator_names`), which go before ours. */
export const ownOperators = new Cell<Table>({});

export function typeName(designator: unknown): string {
  return (types as Table)[String(designator ?? "").toUpperCase()] ?? "";
}

/** A type in words: those of our table, which are the registers' own, else the text of an import, in title case where it has only capitals. */
export function typeWords(designator: unknown, text: unknown): string {
  return typeName(designator) || titled(String(text ?? "").trim());
}

/** What stays in capitals: makers and words that are abbreviations. */
const ABBREVIATIONS = new Set("ATR BAE BAC CASA HAL IAI LET LTD MAX MBB MD NG PZL SOCATA SZD TBM UTVA VIP".split(" "));

/** `AIRBUS A-320` as `Airbus A-320`; a text that has small letters stays as it is. */
export function titled(text: string): string {
  if (text !== text.toUpperCase()) return text;
  return text.replace(/[\p{Lu}]+/gu, (letters, at: number) => {
    // Letters of a model (A-320, PA28, 737-8F) and abbreviations without a vowel are no words.
    const isModel = /^[-/]?\d/.test(text.slice(at + letters.length)) || /\d[-/]?$/.test(text.slice(0, at));
    const isWord = letters.length > 1 && /[AEIOUY]/.test(letters.normalize("NFD")) && !ABBREVIATIONS.has(letters);
    return isWord && !isModel ? letters[0] + letters.slice(1).toLowerCase() : letters;
  });
}

/** The operator of a callsign; empty where its letters are no designator of the tables, as with a registration. */
export function operatorOf(callsign: unknown): string {
  const match = OPERATED.exec(
    String(callsign ?? "")
      .trim()
      .toUpperCase(),
  );
  return match ? operatorName(match[1]) : "";
}

/** The operator of a designator, its three letters; empty where the tables do not have it. */
export function operatorName(designator: unknown): string {
  const code = String(designator ?? "").toUpperCase();
  return ownOperators.value[code] ?? (operators as Table)[code] ?? "";
}

/** Ask the service for the names that the installation has, where it has any. */
export async function fetchOperators(): Promise<void> {
  if (!document.querySelector('meta[name="skywatch-operator-names"]')) return;
  const answer = await fetch(new URL("operators.json", document.baseURI));
  if (!answer.ok) throw new Error(`operators.json: ${answer.status}`);
  const names = Object.entries((await answer.json()) as Record<string, unknown>).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  ownOperators.set(Object.fromEntries(names.slice(0, MAX_NAMES)));
}

/** The designators of the operators in whose names a text of three letters or more lies. */
export function designatorsNamed(part: string): string[] {
  const wanted = folded(part);
  if (wanted.length < 3) return [];
  const names = Object.entries({ ...(operators as Table), ...ownOperators.value });
  return names.filter(([, name]) => folded(name!).includes(wanted)).map(([code]) => code);
}

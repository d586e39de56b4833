// The texts of the application in the reader's language, from one catalogue.
import de from "../../generated/de.catalogue";
import en from "../../generated/en.catalogue";
import es from "../../generated/es.catalogue";
import fr from "../../generated/fr.catalogue";
import deSentences from "../../generated/de_sentences.catalogue";
import esSentences from "../../generated/es_sentences.catalogue";
import frSentences from "../../generated/fr_sentences.catalogue";
import { Cell } from "../core/cell";
import type catalogue from "../../generated/texts.json";

export type TextKey = keyof typeof catalogue;
export type Language = "en" | "de" | "fr" | "es";

export const LANGUAGES: Record<Language, string> = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };
const FILES: Record<Language, string> = { en, de, fr, es };
// What the service says, by its codes; in English the service has said it.
const SENTENCES: Partial<Record<Language, string>> = { de: deSentences, fr: frSentences, es: esSentences };

export const language = new Cell<Language>("en");
let texts: Partial<Record<TextKey, string>> = {};
export const sentences = new Cell<Record<string, string>>({});

/** The language to begin with: the one chosen before, else the browser's. */
export function preferredLanguage(chosen: string | undefined): Language {
  for (const wish of [chosen, ...navigator.languages]) {
    const short = wish?.slice(0, 2).toLowerCase();
    if (short && short in FILES) return short as Language;
  }
  return "en";
}

export async function useLanguage(code: Language): Promise<void> {
  const file = fetch(new URL(FILES[code], import.meta.url));
  // Both take long to make, and there is nothing else to do until the texts are here.
  formatOf(localeOf(code), 0);
  rulesOf(code);
  const answer = await file;
  if (!answer.ok) throw new Error(`the texts of ${code} are missing (${answer.status})`);
  texts = (await answer.json()) as Record<TextKey, string>;
  document.documentElement.lang = code;
  language.set(code);
  // Nothing of the first view waits for them.
  void useSentences(code);
}

/** Until they are here, and where they cannot be read, the service's own text is shown. */
async function useSentences(code: Language): Promise<void> {
  const file = SENTENCES[code];
  sentences.set({});
  if (!file) return;
  try {
    const answer = await fetch(new URL(file, import.meta.url));
    if (answer.ok && language.value === code) sentences.set((await answer.json()) as Record<string, string>);
  } catch {
    return;
  }
}

let rules: Intl.PluralRules | undefined;

/** The rules of a language, which are slow to make. */
function rulesOf(tongue: Language): Intl.PluralRules {
  if (rules?.resolvedOptions().locale !== tongue) rules = new Intl.PluralRules(tongue);
  return rules;
}

/** A text; `{name}` in it is replaced. A text with `|` has a form for one and one for many, chosen by `n`. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return filled(texts[key] ?? key, values);
}

function filled(text: string, values: Record<string, string | number>): string {
  if (text.includes("|") && "n" in values) {
    const [one, many] = text.split("|");
    text = rulesOf(language.value).select(Number(values.n)) === "one" ? one : many;
  }
  return text.replace(/\{(\w+)(?::([^{}]*))?\}/g, (whole, name: string, format?: string) =>
    name in values ? shown(values[name], format) : whole,
  );
}

/** What the service says, in the reader's language: worded from its code and parameters, else its own text. */
export function said(text: string, code?: unknown, params?: unknown): string {
  const form = typeof code === "string" ? (sentences.value[code] ?? ownForm(code)) : undefined;
  if (form === undefined) return text;
  const values = Object.entries((params ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    valueOf(value),
  ]);
  return filled(form, Object.fromEntries(values) as Record<string, string | number>);
}

/** The text of a member of a document, by the code and the parameters beside it. */
export function saidIn(holder: object, member: string): string {
  const members = holder as Record<string, unknown>;
  return said(String(members[member] ?? ""), members[`${member}_code`], members[`${member}_params`]);
}

/** Faults of fields have texts of their own in every language. */
function ownForm(code: string): string | undefined {
  return code.startsWith("field.") ? texts[code as TextKey] : undefined;
}

function valueOf(value: unknown): string | number {
  if (typeof value === "number") return value;
  if (typeof value !== "object" || value === null) return String(value);
  const { text, code, params } = value as { text: string; code: string; params: unknown };
  return said(text, code, params);
}

/** Whether there is a text of this name; names of events and states come from the service. */
export function has(key: string): key is TextKey {
  return key in texts;
}

/** The text of a word of the service, or the word itself where the catalogue does not have it. */
export function word(group: string, name: string): string {
  const key = `${group}.${name}`;
  return has(key) ? t(key) : name.replaceAll("_", " ");
}

function shown(value: string | number, format = ""): string {
  const digits = Number(/\.(\d)f/.exec(format)?.[1] ?? 0);
  return typeof value === "number" ? number(value, digits) : value;
}

/** A text as it is looked for: without accents and capitals. */
export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The language with the region of this browser, so that dates are as they are written there. */
export function locale(): string {
  return localeOf(language.value);
}

function localeOf(tongue: Language): string {
  return navigator.languages.find((one) => one.startsWith(tongue)) ?? tongue;
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(region: string, digits: number): Intl.NumberFormat {
  const key = `${region} ${digits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(region, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(key, format);
  }
  return format;
}

export function number(value: number, digits = 0): string {
  return formatOf(locale(), digits).format(value);
}

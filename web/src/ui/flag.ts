// The flag of an aircraft's State, and its name in the reader's language. Each flag is a file of its own (country-flag-icons,
// MIT), fetched when it is shown first; the table of addresses comes with the first of them.
import { html, nothing, type TemplateResult } from "lit";
import { Cell } from "../core/cell";
import { language } from "../i18n/i18n";

type StateOf = (hex: string) => string | null;

/** Which State an address belongs to; null until the table is here. Views that show flags watch it. */
export const states = new Cell<StateOf | null>(null);
let isAsked = false;

function loadStates(): void {
  if (isAsked) return;
  isAsked = true;
  import("../core/states").then(
    ({ stateOf }) => states.set(stateOf),
    (error: unknown) => {
      isAsked = false; // The next aircraft tries again.
      console.warn("The table of States cannot be loaded:", error);
    },
  );
}

let names: Intl.DisplayNames | undefined;
let tongue = "";

/** The name of a State by its ISO code, in the reader's language. */
export function nameOf(code: string): string {
  if (!names || tongue !== language.value) {
    tongue = language.value;
    names = new Intl.DisplayNames([tongue], { type: "region" });
  }
  return names.of(code) ?? code;
}

/** The State's name; empty for an address of none. */
export function stateName(hex: string): string {
  loadStates();
  const code = states.value?.(hex);
  return code ? nameOf(code) : "";
}

/** The flag; nothing for an address of no State. */
export function flag(hex: string): TemplateResult | typeof nothing {
  loadStates();
  const code = states.value?.(hex);
  if (!code) return nothing;
  const name = nameOf(code);
  return html`<img class="flag" src=${new URL(`${FLAGS_FOLDER}/${code}.svg`, import.meta.url).href} alt=${name} title=${name} width="21" height="14" />`;
}

// The tree of a rule's conditions as nested groups of fields; every part has its fault next to it.
import { html, nothing, type TemplateResult } from "lit";
import { TypedUnit } from "../../../ui/units";
import { styled } from "../../../ui/view";
import { number, t, word, type TextKey } from "../../../i18n/i18n";
import { faultOf } from "../../../session/fault";
import { session } from "../../../session/session";
import { icon } from "../../../ui/icons";
import {
  CLASSES,
  FIELDS,
  GROUPS,
  MAX_LEVELS,
  MAX_TESTS,
  NEW_TEST,
  OPS,
  append,
  branch,
  childrenOf,
  countTests,
  fieldOf,
  infoOf,
  isTest,
  modeOf,
  placeOf,
  replace,
  shownValue,
  typed,
  withField,
  withOp,
  type Mode,
  type Node,
  type Test,
} from "./conditions";
import type { Fence, Watchlist } from "../types";

const MODES: Mode[] = ["all", "any", "not"];
const EMERGENCIES = ["true", "false", "general", "lifeguard", "minfuel", "nordo", "unlawful", "downed", "unknown"];

export interface Surroundings {
  fences: Fence[];
  watchlists: Watchlist[];
  faults: Record<string, string>;
  changed: (conditions: Node) => void;
  /** The conditions with a value that is still being typed. */
  typing: (conditions: Node) => void;
}

/** Fields that this person may test on; what a rule has already is always among them. */
function offered(present: string): [string, string[]][] {
  const allowed = (name: string): boolean => name === present || !FIELDS[name].needs || session.can(FIELDS[name].needs);
  return Object.entries(GROUPS).map(([group, names]) => [group, names.filter(allowed)]);
}

export function conditionEditor(conditions: Node, around: Surroundings): TemplateResult {
  return html`<div class="conditions" role="group" aria-label=${t("rule.conditions")}>${part(conditions, conditions, [], around)}</div>`;
}

function part(root: Node, node: Node, path: number[], around: Surroundings): TemplateResult {
  return isTest(node) ? test(root, node, path, around) : group(root, node, path, around);
}

function change(root: Node, path: number[], around: Surroundings, work: (node: Node) => Node | null): void {
  around.changed(replace(root, path, work) ?? { ...NEW_TEST });
}

function fault(root: Node, path: number[], around: Surroundings, member = ""): TemplateResult | typeof nothing {
  const place = placeOf(root, path) + (member ? `.${member}` : "");
  // The entries of a list of values have faults of their own.
  const find = (name: string): string =>
    around.faults[name] ?? (member === "value" ? faultOf(around.faults, name) : "");
  const detail = find(place) || find(`rule.${place}`);
  return detail ? html`<p class="field-fault" role="alert">${detail}</p>` : nothing;
}

function group(root: Node, node: Exclude<Node, Test>, path: number[], around: Surroundings): TemplateResult {
  const mode = modeOf(node);
  const isFull = countTests(root) >= MAX_TESTS;
  const choose = (event: Event): void =>
    change(root, path, around, () => branch((event.target as HTMLSelectElement).value as Mode, childrenOf(node)));
  return html`<fieldset class="group mode-${mode}" ${styled({ "--level": String(path.length) })}>
    <legend class="visually-hidden">${t(`rule.mode_${mode}`)}</legend>
    <div class="group-head">
      <select aria-label=${t("rule.mode")} @change=${choose}>${MODES.map((one) => html`<option value=${one} ?selected=${one === mode}>${t(`rule.mode_${one}`)}</option>`)}</select>
      ${path.length ? remove(root, path, around, t("rule.remove_group")) : nothing}
    </div>
    ${fault(root, path, around)}
    ${childrenOf(node).map((child, at) => part(root, child, [...path, at], around))}
    <div class="group-foot">
      <button type="button" ?disabled=${isFull} @click=${() => around.changed(append(root, path, { ...NEW_TEST }))}>${icon("plus")} ${t("rule.add_test")}</button>
      ${
        path.length < MAX_LEVELS - 2
          ? html`<button type="button" ?disabled=${isFull} @click=${() => around.changed(append(root, path, { any: [{ ...NEW_TEST }] }))}>${icon("plus")} ${t("rule.add_group")}</button>`
          : nothing
      }
    </div>
  </fieldset>`;
}

function remove(root: Node, path: number[], around: Surroundings, name: string): TemplateResult {
  return html`<button type="button" class="tool small" title=${name} aria-label=${name} @click=${() => change(root, path, around, () => null)}>${icon("trash")}</button>`;
}

function test(root: Node, node: Test, path: number[], around: Surroundings): TemplateResult {
  const field = fieldOf(node);
  const set = (work: (test: Test) => Test): void => change(root, path, around, (one) => work(one as Test));
  const typing = (value: unknown): void => {
    const typed = replace(root, path, (one) => ({ ...(one as Test), value }));
    if (typed) around.typing(typed);
  };
  const ops = infoOf(field).ops ?? OPS[infoOf(field).kind];
  return html`<div class="test">
    <select aria-label=${t("rule.field")} @change=${(event: Event) => set((one) => withField(one, (event.target as HTMLSelectElement).value))}>
      ${offered(field).map(([name, fields]) => html`<optgroup label=${word("rule", `group_${name}`)}>${fields.map((one) => html`<option value=${one} ?selected=${one === field}>${word("field", one)}</option>`)}</optgroup>`)}
    </select>
    <select aria-label=${t("rule.op")} @change=${(event: Event) => set((one) => withOp(one, (event.target as HTMLSelectElement).value))}>
      ${ops.map((one) => html`<option value=${one} ?selected=${one === node.op}>${word("op", one)}</option>`)}
    </select>
    ${valueOf(node, around, set, typing)}
    ${path.length ? remove(root, path, around, t("rule.remove_test")) : nothing}
    ${fault(root, path, around)}${fault(root, path, around, "field")}${fault(root, path, around, "op")}${fault(root, path, around, "value")}
  </div>${path.length ? nothing : html`<div class="group-foot"><button type="button" @click=${() => around.changed({ all: [node, { ...NEW_TEST }] })}>${icon("plus")} ${t("rule.add_test")}</button></div>`}`;
}

function valueOf(
  node: Test,
  around: Surroundings,
  set: (work: (test: Test) => Test) => void,
  typing: (value: unknown) => void,
): TemplateResult {
  const { kind, unit } = infoOf(node.field);
  const label = t("rule.value");
  const give = (value: unknown): void => set((one) => ({ ...one, value }));
  const choice = (options: [string, string][], chosen: string, take: (value: string) => unknown): TemplateResult =>
    html`<select aria-label=${label} @change=${(event: Event) => give(take((event.target as HTMLSelectElement).value))}>${options.map(([value, name]) => html`<option value=${value} ?selected=${value === chosen}>${name}</option>`)}</select>`;
  if (kind === "flag" || node.op === "is_null")
    return choice(
      [
        ["true", t("yes.true")],
        ["false", t("yes.false")],
      ],
      String(node.value),
      (value) => value === "true",
    );
  if (kind === "emergency" && (node.op === "eq" || node.op === "ne")) {
    const names = EMERGENCIES.map(
      (one) =>
        [
          one,
          one === "true" ? t("rule.any_emergency") : one === "false" ? t("rule.no_emergency") : word("emergency", one),
        ] as [string, string],
    );
    return choice(names, String(node.value), (value) => (value === "true" ? true : value === "false" ? false : value));
  }
  if (kind === "class" && node.op !== "in")
    return choice(
      CLASSES.map((one) => [one, word("kind", one)]),
      String(node.value),
      (value) => value,
    );
  if (kind === "class") return classes(node, give);
  if (kind === "geofence" || kind === "watchlist") {
    const rows = kind === "geofence" ? around.fences : around.watchlists;
    if (!rows.length)
      return html`<span class="hint">${t(kind === "geofence" ? "rule.no_fences" : "rule.no_watchlists")} <a href="#/alerts?tab=${kind === "geofence" ? "geofences" : "watchlists"}">${t("rule.make_one")}</a></span>`;
    return choice(
      [["", t("rule.choose")], ...rows.map((row) => [String(row.id), row.name] as [string, string])],
      String(node.value),
      Number,
    );
  }
  if (kind === "time")
    return html`<input type="datetime-local" aria-label=${label} .value=${localTime(node.value)} @change=${(event: Event) => give(typed(node, (event.target as HTMLInputElement).value))} />`;
  const isNumber = kind === "number" && node.op !== "in";
  const measured = new TypedUnit(unit);
  const valueIn = ({ target }: Event): unknown => measured.stored(typed(node, (target as HTMLInputElement).value));
  return html`<span class="with-unit"><input aria-label=${label} .value=${shownValue(measured.shown(node.value))} inputmode=${isNumber ? "decimal" : "text"} autocomplete="off" spellcheck="false" placeholder=${placeholder(node, kind)}
    @input=${(event: Event) => typing(valueIn(event))} @change=${(event: Event) => give(valueIn(event))} />${measured.name ? html`<small>${measured.name}</small>` : nothing}</span>`;
}

function classes(node: Test, give: (value: unknown) => void): TemplateResult {
  const chosen = Array.isArray(node.value) ? (node.value as string[]) : [];
  const toggle = (name: string): void =>
    give(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return html`<div class="checks">${CLASSES.map((one) => html`<label class="check"><input type="checkbox" .checked=${chosen.includes(one)} @change=${() => toggle(one)} /> ${word("kind", one)}</label>`)}</div>`;
}

function placeholder(node: Test, kind: string): string {
  if (node.op === "in") return infoOf(node.field) === FIELDS.squawk ? "7000, 3000-3050" : "A, B, C";
  if (node.op === "matches") return "^SWR[0-9]+$";
  return kind === "altitude" ? t("rule.altitude_hint", { unit: new TypedUnit("ft").name! }) : "";
}

function localTime(value: unknown): string {
  const at = new Date(String(value ?? ""));
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The conditions as one line, for lists. */
export function sentence(node: Node, fences: Fence[], lists: Watchlist[], isInner = false): string {
  if (!isTest(node)) {
    const mode = modeOf(node);
    const parts = childrenOf(node).map((child) => sentence(child, fences, lists, true));
    if (mode === "not") return `${t("rule.not")} (${parts[0]})`;
    const joined = parts.join(` ${t(`rule.${mode === "all" ? "and" : "or"}` as TextKey)} `);
    return isInner && parts.length > 1 ? `(${joined})` : joined;
  }
  const { kind, unit } = infoOf(node.field);
  const id = Number(node.value);
  const measured = new TypedUnit(unit);
  const amount = measured.shown(node.value);
  let value = shownValue(amount);
  if (kind === "geofence") value = fences.find((one) => one.id === id)?.name ?? value;
  else if (kind === "watchlist") value = lists.find((one) => one.id === id)?.name ?? value;
  else if (kind === "flag") value = t(node.value ? "yes.true" : "yes.false");
  else if (kind === "class")
    value = [node.value]
      .flat()
      .map((one) => word("kind", String(one)))
      .join(", ");
  else if (kind === "emergency" && typeof node.value === "boolean")
    value = t(node.value ? "rule.any_emergency" : "rule.no_emergency");
  else if (typeof amount === "number" && unit) value = number(amount, Number.isInteger(amount) ? 0 : 2);
  return `${word("field", fieldOf(node))} ${word("op", node.op)} ${value}${measured.name && value !== "ground" ? `\u00a0${measured.name}` : ""}`;
}

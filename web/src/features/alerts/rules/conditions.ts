// The tree of a rule's conditions: plain functions over the document that the service takes.
import { RULE_FIELDS, type RuleField } from "../../../shell/rule_fields";
import vocabulary from "./fields.json";

export type Mode = "all" | "any" | "not";
export type Test = { field: string; op: string; value: unknown };
export type Node = Test | { all: Node[] } | { any: Node[] } | { not: Node };
/** What is tested, and the group of the editor that it stands in. */
export type FieldInfo = Omit<RuleField, "group">;

/** Fields of the aircraft itself, and those that features add. */
export const FIELDS: Record<string, FieldInfo> = { ...vocabulary.fields, ...RULE_FIELDS };
export const GROUPS: Record<string, string[]> = Object.fromEntries(
  Object.entries(vocabulary.groups).map(([group, names]: [string, string[]]) => [
    group,
    [...names, ...Object.keys(RULE_FIELDS).filter((name) => RULE_FIELDS[name].group === group)],
  ]),
);
export const OPS = vocabulary.ops as Record<string, string[]>;
export const CLASSES = vocabulary.classes;
const ALIASES: Record<string, string> = { callsign: "flight", registration: "r", icao_hex: "hex", aircraft_type: "t" };
export const MAX_TESTS = 100;
export const MAX_LEVELS = 8;

export const NEW_TEST: Test = { field: "alt_baro", op: "lt", value: 3000 };

export function fieldOf(test: Test): string {
  return ALIASES[test.field] ?? test.field;
}

export function infoOf(field: string): FieldInfo {
  return FIELDS[ALIASES[field] ?? field] ?? { kind: "text" };
}

export function isTest(node: Node): node is Test {
  return "field" in node;
}

export function modeOf(node: Exclude<Node, Test>): Mode {
  return "all" in node ? "all" : "any" in node ? "any" : "not";
}

export function childrenOf(node: Node): Node[] {
  if (isTest(node)) return [];
  if ("all" in node) return node.all;
  if ("any" in node) return node.any;
  return [node.not];
}

/** A branch with these children; `not` has one child, so that several become one group of all. */
export function branch(mode: Mode, children: Node[]): Node {
  if (mode === "not") return { not: children.length === 1 ? children[0] : { all: children } };
  return mode === "all" ? { all: children } : { any: children };
}

/** The tree with another node at a path of positions; null takes the node away, and with it a branch that is left empty. */
export function replace(node: Node, path: number[], change: (node: Node) => Node | null): Node | null {
  if (!path.length) return change(node);
  const children = [...childrenOf(node)];
  const [at, ...rest] = path;
  const changed = replace(children[at], rest, change);
  if (changed) children[at] = changed;
  else children.splice(at, 1);
  return children.length ? branch(modeOf(node as Exclude<Node, Test>), children) : null;
}

/** The tree with one more node at the end of the branch at a path. */
export function append(node: Node, path: number[], fresh: Node): Node {
  return replace(node, path, (parent) => {
    if (isTest(parent)) return { all: [parent, fresh] };
    const children = childrenOf(parent);
    if (modeOf(parent) !== "not") return branch(modeOf(parent), [...children, fresh]);
    const inner = children[0];
    return { not: "all" in inner ? { all: [...inner.all, fresh] } : { all: [inner, fresh] } };
  })!;
}

export function countTests(node: Node): number {
  return isTest(node) ? 1 : childrenOf(node).reduce((sum, child) => sum + countTests(child), 0);
}

/** The place that the service names in its faults, such as `conditions.all.0.not.any.2`. */
export function placeOf(node: Node, path: number[], place = "conditions"): string {
  if (!path.length || isTest(node)) return place;
  const mode = modeOf(node);
  const [at, ...rest] = path;
  return placeOf(childrenOf(node)[at], rest, mode === "not" ? `${place}.not` : `${place}.${mode}.${at}`);
}

/** Another field or op keeps what can be kept of the test. */
export function withField(test: Test, field: string): Test {
  const ops = infoOf(field).ops ?? OPS[infoOf(field).kind];
  const op = ops.includes(test.op) ? test.op : ops[0];
  const isSame = infoOf(field).kind === infoOf(test.field).kind && (op === test.op || test.op !== "is_null");
  return { field, op, value: isSame ? test.value : firstValue(field, op) };
}

export function withOp(test: Test, op: string): Test {
  if (op === "is_null" || test.op === "is_null")
    return op === test.op ? test : { ...test, op, value: firstValue(test.field, op) };
  const isList = Array.isArray(test.value);
  if (op === "in" && infoOf(test.field).kind !== "watchlist")
    return { ...test, op, value: isList ? test.value : test.value === "" ? [] : [test.value] };
  return { ...test, op, value: isList ? ((test.value as unknown[])[0] ?? firstValue(test.field, op)) : test.value };
}

function firstValue(field: string, op: string): unknown {
  const { kind } = infoOf(field);
  if (kind === "flag" || kind === "emergency" || op === "is_null") return true;
  if (kind === "class") return op === "in" ? [CLASSES[0]] : CLASSES[0];
  if (op === "in" && kind !== "watchlist") return [];
  return kind === "number" || kind === "altitude" ? 0 : "";
}

/** What a person typed, as the service takes it for this field and op; what is no number stays as it was typed. */
export function typed(test: Test, text: string): unknown {
  const { kind } = infoOf(test.field);
  if (test.op === "in" && kind !== "watchlist") {
    return text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => single(kind, part));
  }
  return test.op === "matches" ? text : single(kind, text);
}

function single(kind: string, text: string): unknown {
  const plain = text.trim();
  if (kind === "number" || kind === "altitude" || kind === "geofence" || kind === "watchlist") {
    const number = Number(plain.replace(",", "."));
    return plain !== "" && Number.isFinite(number) ? number : plain;
  }
  if (kind === "time") {
    const at = new Date(plain);
    return Number.isNaN(at.getTime()) ? plain : at.toISOString();
  }
  return plain;
}

export function shownValue(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : String(value ?? "");
}

// Rules to start from: a click fills the editor, where everything can still be changed.
import { branch, childrenOf, isTest, modeOf, type Node, type Test } from "./conditions";
import documents from "./ready_made.json";

export type ReadyMade = keyof typeof documents;
export type Position = [lat: number, lon: number];
interface Document {
  priority: string;
  conditions: Node;
  /** The permission without which the rule would find nothing. */
  needs?: string;
}

const DOCUMENTS = documents as Record<ReadyMade, Document>;
export const READY_MADE = Object.keys(documents) as ReadyMade[];
const NM_PER_DEGREE = 60;
const DIGITS = 4;

export function documentOf(name: ReadyMade): Document {
  return structuredClone(DOCUMENTS[name]);
}

export function isReadyMade(name: string | undefined): name is ReadyMade {
  return name !== undefined && name in documents;
}

/** Whether the rule asks how far an aircraft is away. */
export function needsPlace(node: Node): boolean {
  return isTest(node) ? node.field === "distance_nm" : childrenOf(node).some(needsPlace);
}

/** Where the station's place is unknown: the distance to it becomes a square of that size around a position. */
export function around(node: Node, position: Position): Node {
  if (isTest(node)) return node.field === "distance_nm" ? square(position, Number(node.value)) : node;
  // The parts of the square stand next to the other tests of a group of all.
  const children = childrenOf(node).map((child) => around(child, position));
  const mode = modeOf(node);
  return branch(
    mode,
    mode === "all" ? children.flatMap((child) => (!isTest(child) && "all" in child ? child.all : [child])) : children,
  );
}

/** The part of a rule about one aircraft, by its address. */
export function aboutAircraft(hex: string): Node {
  return { all: [{ field: "hex", op: "eq", value: hex.toUpperCase() }] };
}

function square([lat, lon]: Position, distanceNm: number): Node {
  const high = distanceNm / NM_PER_DEGREE;
  const wide = Math.min(180, high / Math.max(Math.cos((lat * Math.PI) / 180), 0.01));
  const test = (field: string, op: string, value: number): Test => ({
    field,
    op,
    value: Number(value.toFixed(DIGITS)),
  });
  const [west, east] = [test("lon", "ge", lon - wide), test("lon", "le", lon + wide)];
  const others: Node[] =
    lon - wide < -180
      ? [{ any: [test("lon", "ge", lon - wide + 360), east] }]
      : lon + wide > 180
        ? [{ any: [west, test("lon", "le", lon + wide - 360)] }]
        : [west, east];
  return { all: [test("lat", "ge", lat - high), test("lat", "le", lat + high), ...others] };
}

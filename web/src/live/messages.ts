// What the page and its worker say to each other. The worker has the channel and the state of every aircraft; the
// page has the token, the map and the list.

import type { RampName } from "../core/ramp";

/** Bits of `flags` as the channel sends them. */
export const FLAG = {
  ground: 1,
  military: 2,
  emergency: 4,
  alert: 8,
  mlat: 16,
  tisb: 32,
  stale: 64,
} as const;

/** Fields that the worker itself needs; the columns of the list are added. `hex` is always first. */
export const BASE_FIELDS = [
  "hex",
  "lat",
  "lon",
  "track",
  "gs",
  "alt_baro",
  "flags",
  "category",
  "flight",
  "t",
  "single_source",
];
export const SEARCH_FIELDS = ["squawk", "baro_rate"];

/** Floats for each aircraft in a frame: x, y as high and low parts, velocity, error, time, heading, colour, look. */
export const STRIDE = 12;

export type Value = string | number | boolean | null | undefined;

export interface Aircraft {
  hex: string;
  [field: string]: Value | unknown;
}

export interface Filter {
  text: string;
  minAltitude: number | null;
  maxAltitude: number | null;
  minSpeed: number | null;
  maxSpeed: number | null;
  maxDistance: number | null;
  classes: string[];
  ground: "all" | "air" | "ground";
  military: boolean;
  emergency: boolean;
}

export const NO_FILTER: Filter = {
  text: "",
  minAltitude: null,
  maxAltitude: null,
  minSpeed: null,
  maxSpeed: null,
  maxDistance: null,
  classes: [],
  ground: "all",
  military: false,
  emergency: false,
};

export interface ViewState {
  x: number;
  y: number;
  resolution: number;
  width: number;
  height: number;
}

export interface Station {
  lat: number;
  lon: number;
}

/** What a label can say of an aircraft. */
export const LABEL_FIELDS = [
  "flight",
  "altitude",
  "gs",
  "t",
  "r",
  "squawk",
  "hex",
  "distance",
  "track",
  "baro_rate",
] as const;
export type LabelField = (typeof LABEL_FIELDS)[number];

/** The recorded positions of one aircraft's flight, oldest first, as lists of the same length. */
export interface PastTrail {
  hex: string;
  /** Unix seconds. */
  at: number[];
  lat: number[];
  lon: number[];
  altitude_ft: (number | null)[];
  on_ground: boolean[];
}

export interface Look {
  dark: boolean;
  labels: boolean;
  metric: boolean;
  /** Fields of each line of a label. */
  labelLines: LabelField[][];
  /** How large labels are relative to their usual size. */
  labelScale: number;
  ramp: RampName;
  /** How far back the trails of all aircraft reach (s); 0: there are none. */
  trailSpan: number;
  outline: boolean;
}

export type Step = 1 | -1 | 0;

/** From the page to the worker. */
export type Order =
  | { type: "connect"; url: string; token: string | null; topics: string[]; fields: string[] }
  | { type: "token"; token: string | null }
  | { type: "disconnect" }
  | { type: "fields"; fields: string[] }
  | { type: "filter"; filter: Filter; operators: Record<string, string[]> }
  | {
      type: "list";
      offset: number;
      limit: number;
      sort: string;
      descending: boolean;
      inView: boolean;
      airFirst: boolean;
    }
  | { type: "outline"; points: number[][] }
  /** What was recorded of these aircraft; those without a trail have none. */
  | { type: "past"; run: number; hexes: string[]; trails: PastTrail[] }
  | { type: "view"; view: ViewState }
  | { type: "look"; look: Look }
  | { type: "station"; station: Station | null }
  | { type: "select"; hex: string | null; also: string[]; isAlone: boolean }
  /** The next (1) or previous (-1) aircraft of the list, or any (0); answered as a pick is. */
  | { type: "step"; id: number; step: Step }
  /** The aircraft that has this very name, else the first of the list; answered as a pick is. */
  | { type: "find"; id: number; text: string }
  | { type: "pick"; id: number; x: number; y: number; radius: number }
  | { type: "replay"; on: boolean }
  | { type: "moment"; now: number; speed: number; aircraft: Aircraft[] }
  | { type: "awake" };

export interface Label {
  /** Row of the aircraft in the frame. */
  row: number;
  /** Where the label stands: 0 right, 1 left, 2 above, 3 below. */
  side: number;
  lines: string[];
  strong: boolean;
}

/** The trails of all aircraft: what is new with a frame. */
export interface TrailNews {
  /** Trails that were started over have another number. */
  run: number;
  /** Segments that were not sent before. */
  segments: ArrayBuffer;
  /** For each row of the frame where its last segment ends, from the origin; NaN for one without. */
  anchors: ArrayBuffer;
  /** For each slot the generation whose segments are shown, 0 for none. */
  shown: ArrayBuffer;
  /** Metres of the map. */
  origin: [number, number];
  /** The time of the picture, as segments have it (s). */
  now: number;
  /** Segments older than this are not shown (s). */
  span: number;
}

/** One picture: what is drawn until the next one comes. */
export interface Frame {
  type: "frame";
  count: number;
  data: ArrayBuffer;
  /** When the picture was made, in milliseconds of the page's own clock, and how quickly its time runs. */
  at: number;
  speed: number;
  labels: Label[];
  selectedRow: number;
  /** Rows of the others that are selected, in their order; -1 for one that is not there. */
  alsoRows: number[];
  /** Highest speed in metres of the map a second: how often it is worth drawing. */
  fastest: number;
  trails: TrailNews | null;
}

export interface ListWindow {
  type: "list";
  offset: number;
  rows: Aircraft[];
  matching: number;
  total: number;
  positioned: number;
}

/** From the worker to the page. */
export type News =
  | Frame
  | ListWindow
  | { type: "selected"; aircraft: Aircraft | null; also: (Aircraft | null)[]; now: number }
  | { type: "picked"; id: number; aircraft: Aircraft | null }
  | { type: "state"; state: ChannelState; detail: string; denied: string[] }
  | { type: "outline"; points: [number, number][] }
  /** Aircraft in sight whose trails begin, and have a past; the answer names the same run. */
  | { type: "begun"; run: number; hexes: string[] }
  | { type: "rights" }
  | { type: "picture"; isStale: boolean }
  | { type: "event"; topic: string; event: string; data: Record<string, unknown> };

export type ChannelState = "idle" | "connecting" | "open" | "waiting" | "refused";

// What the page and its worker say to each other. The worker has the channel and the state of every aircraft; the
// page has the token, the map and the list.

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
export const BASE_FIELDS = ["hex", "lat", "lon", "track", "gs", "alt_baro", "flags", "category", "flight", "t"];
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

export interface Look {
  dark: boolean;
  labels: boolean;
  metric: boolean;
}

/** From the page to the worker. */
export type Order =
  | { type: "connect"; url: string; token: string | null; topics: string[]; fields: string[] }
  | { type: "token"; token: string | null }
  | { type: "disconnect" }
  | { type: "fields"; fields: string[] }
  | { type: "filter"; filter: Filter }
  | { type: "list"; offset: number; limit: number; sort: string; descending: boolean; inView: boolean }
  | { type: "view"; view: ViewState }
  | { type: "look"; look: Look }
  | { type: "station"; station: Station | null }
  | { type: "select"; hex: string | null; also: string[] }
  | { type: "pick"; id: number; x: number; y: number; radius: number }
  | { type: "replay"; on: boolean }
  | { type: "moment"; now: number; speed: number; aircraft: Aircraft[] }
  | { type: "awake" };

export interface Label {
  /** Row of the aircraft in the frame. */
  row: number;
  /** Where the label stands: 0 right, 1 left, 2 above, 3 below. */
  side: number;
  lines: [string, string];
  strong: boolean;
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
  | { type: "rights" }
  | { type: "picture"; isStale: boolean }
  | { type: "event"; topic: string; event: string; data: Record<string, unknown> };

export type ChannelState = "idle" | "connecting" | "open" | "waiting" | "refused";

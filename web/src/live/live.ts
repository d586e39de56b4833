// The page's side of the worker: what it is told, and what the views watch.
import { note, route, type Route } from "../core/address";
import { Cell } from "../core/cell";
import { LABEL_SCALE } from "../core/kiosk";
import { dark, preferences, type Preferences } from "../core/preferences";
import { selectionOf, type Selection } from "../core/selection";
import { session } from "../session/session";
import { partsOf } from "./filter";
import {
  BASE_FIELDS,
  LABEL_FIELDS,
  NO_FILTER,
  SEARCH_FIELDS,
  type Aircraft,
  type ChannelState,
  type Filter,
  type Frame,
  type LabelField,
  type ListWindow,
  type Look,
  type News,
  type Order,
  type Station,
  type Step,
} from "./messages";
import { ChannelOwner } from "./owner";
import { Past } from "./trails/past";

/** Fields of the list's columns that the service has (distance and bearing are reckoned here). */
const COLUMN_FIELDS = ["r", "squawk", "baro_rate", "rssi", "receiver", "nav_altitude_mcp", "messages", "route"];

/** How often the login is looked after where the channel, which would say so at once, is not open, and where it is. */
const LOOK_AFTER_MS = 5000;
const LOOK_AFTER_OPEN_MS = 60_000;

export interface Happening {
  topic: string;
  event: string;
  data: Record<string, unknown>;
}

/** What the worker needs to know of how the reader wants the map. */
function lookOf({ labels, units, labelLines, ramp, allTrails, overlays }: Preferences, isDark: boolean): Look {
  const lines = labelLines.map(
    (fields) => fields.filter((field) => LABEL_FIELDS.includes(field as LabelField)) as LabelField[],
  );
  return {
    dark: isDark,
    labels,
    metric: units === "metric",
    labelLines: lines,
    labelScale: LABEL_SCALE,
    ramp,
    trailSpan: allTrails * 60,
    outline: overlays.includes("outline"),
  };
}

class Live {
  /** Topics of the channel that features have. */
  readonly topics: string[] = [];
  readonly state = new Cell<ChannelState>("idle");
  readonly detail = new Cell<string>("");
  readonly list = new Cell<ListWindow>({ type: "list", offset: 0, rows: [], matching: 0, total: 0, positioned: 0 });
  /** How many aircraft there are, whatever the filter shows: the one figure of the list that the head of the page has. */
  readonly total = new Cell<number>(0);
  readonly selected = new Cell<Aircraft | null>(null);
  readonly selectedHex = new Cell<string | null>(null);
  /** The others that are selected: their addresses, and what is known of each. */
  readonly alsoHexes = new Cell<string[]>([]);
  readonly also = new Cell<(Aircraft | null)[]>([]);
  /** Whether the map shows the selected aircraft and no others. */
  readonly isAlone = new Cell<boolean>(false);
  readonly filter = new Cell<Filter>(NO_FILTER);
  /** The designators of operators by a part of their name, once their names are here. */
  readonly operatorsNamed = new Cell<(part: string) => string[]>(() => []);
  readonly station = new Cell<Station | null>(null);
  readonly now = new Cell<number>(0);
  readonly happening = new Cell<Happening | null>(null);
  /** Whether the tracker has fallen silent: what is shown only grows older. */
  readonly isStale = new Cell<boolean>(false);
  readonly isReplay = new Cell<boolean>(false);
  /** The range outline: longitude and latitude of its corners. */
  readonly outline = new Cell<[number, number][]>([]);
  readonly framed = new Set<(frame: Frame) => void>();
  /** The newest picture, for a map that is made after it came. */
  lastFrame: Frame | null = null;
  private readonly worker = new Worker(new URL(WORKER_FILE, import.meta.url), { type: "module" });
  private picks = new Map<number, (aircraft: Aircraft | null) => void>();
  private lastPick = 0;
  private readonly owner = new ChannelOwner(
    session,
    this.topics,
    () => this.chosenFields(),
    (order) => this.sendOwner(order),
  );

  /** What was recorded before the page was opened. */
  readonly past = new Past((order) => this.send(order));

  start(): void {
    this.worker.onmessage = ({ data }: MessageEvent<News>) => this.hear(data);
    this.worker.onerror = (event) => console.error("The worker failed:", event.message);
    const look = (): void =>
      this.send({
        type: "look",
        look: lookOf(preferences.value, dark.value),
      });
    look();
    dark.subscribe(look);
    preferences.subscribe(look);
    preferences.subscribe(() => this.past.follow());
    this.filter.subscribe(() => this.sendFilter());
    this.operatorsNamed.subscribe(() => this.sendFilter());
    this.station.subscribe((station) => this.send({ type: "station", station }));
    this.selectedHex.subscribe(() => {
      this.selected.set(null);
      this.sendSelection();
    });
    this.alsoHexes.subscribe(() => {
      this.also.set([]);
      this.sendSelection();
    });
    this.isAlone.subscribe(() => this.sendSelection());
    session.user.subscribe(() => this.chooseFields());
    preferences.subscribe(() => this.chooseFields());
    addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => !document.hidden && this.wake());
    setInterval(() => this.state.value !== "open" && session.check(), LOOK_AFTER_MS);
    setInterval(() => !document.hidden && session.check(), LOOK_AFTER_OPEN_MS);
    this.owner.start();
    const followAddress = ({ page, query }: Route): void => {
      if (page === "map") this.select(selectionOf(query));
      this.isAlone.set(page === "map" && query.only === "1" && "hex" in query);
      // The next selection is shown among the others.
      if (page === "map" && "only" in query && !("hex" in query))
        queueMicrotask(() => "hex" in route.value.query || note({ only: null }));
    };
    followAddress(route.value); // An address that was shared names what is selected.
    route.subscribe(followAddress);
  }

  get selection(): Selection {
    return { hex: this.selectedHex.value, also: this.alsoHexes.value };
  }

  private select({ hex, also }: Selection): void {
    if (also.join() !== this.alsoHexes.value.join()) this.alsoHexes.set(also);
    this.selectedHex.set(hex);
  }

  private sendFilter(): void {
    const filter = this.filter.value;
    const named = partsOf(filter.text).map((part) => [part, this.operatorsNamed.value(part)]);
    this.send({ type: "filter", filter, operators: Object.fromEntries(named) as Record<string, string[]> });
  }

  private sendSelection(): void {
    this.send({ type: "select", ...this.selection, isAlone: this.isAlone.value });
  }

  send(order: Order): void {
    this.worker.postMessage(order);
  }

  /** Fields of the wire: those of the map, and those of the columns that are shown. */
  private get fields(): string[] {
    const { columns, sort } = preferences.value;
    const shown = COLUMN_FIELDS.filter((field) => columns.includes(field) || sort === field);
    const details = session.can("aircraft.view_details") ? ["r"] : [];
    return [
      ...new Set([
        ...BASE_FIELDS,
        ...SEARCH_FIELDS,
        ...details,
        ...shown.filter((field) => field !== "r" || details.length),
      ]),
    ];
  }

  private chosen = "";

  private chooseFields(): void {
    if (!this.owner.hasAsked || this.fields.join() === this.chosen) return;
    this.send({ type: "fields", fields: this.chosenFields() });
  }

  private chosenFields(): string[] {
    const { fields } = this;
    this.chosen = fields.join();
    return fields;
  }

  /** The worker says how a connection fares; that there is to be none is said here. */
  private sendOwner(order: Order): void {
    this.send(order);
    if (order.type === "disconnect") this.state.set("refused");
  }

  private wake(): void {
    this.send({ type: "awake" });
    session.check();
  }

  /** The nearest aircraft to a point of the map, if any. */
  pick(x: number, y: number, radius: number): Promise<Aircraft | null> {
    return this.ask((id) => ({ type: "pick", id, x, y, radius }));
  }

  /** The aircraft after or before the selected one in the list, or any (0); null where the list is empty. */
  neighbour(step: Step): Promise<Aircraft | null> {
    return this.ask((id) => ({ type: "step", id, step }));
  }

  /** The aircraft of the list that has this name, else its first; null where the list is empty. */
  find(text: string): Promise<Aircraft | null> {
    return this.ask((id) => ({ type: "find", id, text }));
  }

  private ask(order: (id: number) => Order): Promise<Aircraft | null> {
    this.lastPick += 1;
    const id = this.lastPick;
    return new Promise((resolve) => {
      this.picks.set(id, resolve);
      this.send(order(id));
    });
  }

  private hear(news: News): void {
    switch (news.type) {
      case "frame":
        this.lastFrame = news;
        for (const listener of this.framed) listener(news);
        break;
      case "list":
        this.total.set(news.total);
        this.list.set(news);
        break;
      case "selected":
        this.now.set(news.now);
        if (news.also.length === this.alsoHexes.value.length && news.also.length) this.also.set(news.also);
        this.selected.set(news.aircraft);
        break;
      case "picked":
        this.picks.get(news.id)?.(news.aircraft);
        this.picks.delete(news.id);
        break;
      case "state":
        this.detail.set(news.detail);
        this.state.set(news.state);
        if (news.detail.startsWith("4003")) void session.reload();
        else if (news.state === "waiting" || news.state === "refused") session.check();
        break;
      case "picture":
        this.isStale.set(news.isStale);
        break;
      case "outline":
        this.outline.set(news.points);
        break;
      case "begun":
        void this.past.trails(news.run, news.hexes);
        break;
      case "rights":
        void session.reload();
        break;
      case "event":
        this.happening.set({ topic: news.topic, event: news.event, data: news.data });
        break;
    }
  }
}

export const live = new Live();

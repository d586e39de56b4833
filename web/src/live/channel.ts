// The real-time channel: connects, subscribes, comes back with growing pauses, and shows a new token in time.
import { decode, encode } from "@msgpack/msgpack";
import type { Aircraft, ChannelState, Value } from "./messages";

const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;
/** A channel that says nothing is asked; one that does not answer is dead without having said so. */
const ASK_MS = 5000;
const QUIET_MS = 12_000;
const LOOK_MS = 3000;
/**
 * So many looks without an answer, and the channel is given up. They are counted, not the time: after a standstill of
 * this thread a timer may come before the answer that has been waiting.
 */
const CONNECT_LOOKS = 5;
const ANSWER_LOOKS = 2;
/** No message for so long, and no timer that noticed it: the tab or the computer was asleep. */
const ASLEEP_MS = 30_000;
/** MessagePack where the service speaks it: a fifth less to carry, and nothing else is different. */
const PROTOCOLS = ["skywatch.v1+msgpack", "skywatch.v1"];
const REFUSED = new Set([4001, 4003]);

export interface Columns {
  full: boolean;
  fields: string[];
  rows: Value[][];
  removed: string[];
  hidden: number;
  now: number;
}

export interface Listener {
  columns(data: Columns): void;
  aircraft(list: Aircraft[], removed: string[], full: boolean, now: number): void;
  event(topic: string, event: string, data: Record<string, unknown>): void;
  state(state: ChannelState, detail: string, denied: string[]): void;
  /** Whether the picture is stale: the tracker publishes nothing, and aircraft only grow older. */
  picture(isStale: boolean): void;
  /** Topics ended because the rights are other ones now. */
  rights(lost: string[]): void;
}

interface Point {
  epoch: string;
  seq: number;
}

interface Message {
  type: string;
  topic: string;
  event: string;
  epoch: string;
  seq: number;
  data: Record<string, unknown>;
  denied?: string[];
  topics?: string[];
  after_s?: number;
  state?: string;
  code?: string;
  detail?: string;
  id?: number;
  retry_after_s?: number;
}

export class Channel {
  private socket: WebSocket | null = null;
  private points: Record<string, Point> = {};
  private pauseMs = FIRST_PAUSE_MS;
  private comeBackMs: number | null = null;
  private refusals = 0;
  private isStopped = true;
  private isOpen = false;
  private plain = false;
  /** The token that this connection was opened with or has shown since. */
  private shown: string | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** Of a subscription that came too soon after others. */
  private again: ReturnType<typeof setTimeout> | undefined;
  /** Looks since the connection was begun or the service was asked whether it is there. */
  private looks = 0;
  private heardAt = 0;
  /** By the clock of the computer, which goes on while the computer sleeps (ms). */
  private heardClockMs = 0;
  private askedAt = 0;

  constructor(
    private readonly listener: Listener,
    private url = "",
    private token: string | null = null,
    private topics: string[] = [],
    private fields: string[] = [],
  ) {
    setInterval(() => {
      this.looks += 1;
      this.lookForSilence();
    }, LOOK_MS);
  }

  start(url: string, token: string | null, topics: string[], fields: string[]): void {
    this.stop();
    Object.assign(this, { url, token, topics, fields, points: {}, refusals: 0, pauseMs: FIRST_PAUSE_MS });
    this.isStopped = false;
    this.open();
  }

  stop(): void {
    this.isStopped = true;
    this.letGo();
    this.listener.state("idle", "", []);
  }

  setToken(token: string | null): void {
    if (token === this.token) return;
    this.token = token;
    if (this.isOpen) this.showToken();
    else if (!this.socket) this.hurry();
  }

  private showToken(): void {
    if (!this.token || this.token === this.shown) return;
    this.shown = this.token;
    this.send({ type: "refresh", auth: { token: this.token } });
  }

  setFields(fields: string[]): void {
    this.fields = fields;
    if (this.isOpen) this.subscribe(["aircraft"]);
  }

  get currentFields(): readonly string[] {
    return this.fields;
  }

  /** The page was asleep or the network is back: do not wait for the pause to end. */
  hurry(): void {
    this.lookForSilence();
    if (!this.isStopped && !this.socket) {
      this.pauseMs = FIRST_PAUSE_MS;
      this.open();
    }
  }

  private lookForSilence(): void {
    if (!this.socket) return;
    if (!this.isOpen) {
      if (this.looks >= CONNECT_LOOKS) this.giveUp("timeout");
      return;
    }
    const quiet = performance.now() - this.heardAt;
    // Timers of a tab that slept come late: nobody has been asked yet, so that silence proves nothing.
    if (this.askedAt > this.heardAt) {
      if (quiet > QUIET_MS && this.looks >= ANSWER_LOOKS) this.giveUp("quiet");
    } else if (quiet > ASK_MS) {
      this.askedAt = performance.now();
      this.looks = 0;
      this.send({ type: "ping" });
    }
  }

  private giveUp(why: string): void {
    this.letGo();
    this.later(why);
  }

  /** Nothing of this connection comes any more, and no other one is on its way. */
  private letGo(): void {
    clearTimeout(this.retry);
    clearTimeout(this.again);
    const socket = this.socket;
    this.socket = null;
    this.isOpen = false;
    if (socket) {
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close(1000);
    }
  }

  /** Connect; whatever connection there was before ends here, so that there is never a second one. */
  private open(): void {
    this.letGo();
    this.looks = 0;
    this.listener.state("connecting", "", []);
    this.comeBackMs = null;
    let socket: WebSocket;
    try {
      socket = new WebSocket(this.url, PROTOCOLS);
      socket.binaryType = "arraybuffer";
    } catch (error) {
      this.later(String(error));
      return;
    }
    this.socket = socket;
    socket.onopen = () => {
      this.shown = this.token;
      this.send({ type: "connect", ...(this.token ? { auth: { token: this.token } } : {}) });
    };
    socket.onmessage = ({ data }) => {
      // After a sleep what piled up is the past, and a new connection begins with one snapshot.
      if (this.isOpen && Date.now() - this.heardClockMs > ASLEEP_MS) this.open();
      else this.receive((typeof data === "string" ? JSON.parse(data) : decode(data as ArrayBuffer)) as Message);
    };
    socket.onclose = ({ code, reason }) => this.closed(code, reason);
  }

  private closed(code: number, reason: string): void {
    this.letGo();
    // The page is told each time and asks who this is. Until it brings another token or ends this channel it is tried
    // again: the API may learn of a change a moment later than the channel, and rights that were taken may come back.
    if (REFUSED.has(code)) this.refusals += 1;
    this.later(`${code} ${reason}`);
  }

  private later(detail: string): void {
    if (this.isStopped) return;
    // Spread over time, so that all pages of a restarted service do not come in the same moment.
    const wait = this.comeBackMs ?? this.pauseMs * (0.5 + Math.random() / 2);
    this.pauseMs = Math.min(this.pauseMs * 2, LAST_PAUSE_MS);
    this.listener.state(this.refusals > 1 ? "refused" : "waiting", detail, []);
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(), wait);
  }

  private subscribe(topics: string[]): void {
    const live = topics.filter((topic) => topic === "aircraft");
    const rest = topics.filter((topic) => topic !== "aircraft");
    const since = Object.fromEntries(
      rest.filter((topic) => topic in this.points).map((topic) => [topic, this.points[topic]]),
    );
    const form = this.plain ? {} : { format: "columns", fields: this.fields };
    if (live.length) this.send({ type: "subscribe", id: 1, topics: live, ...form });
    if (rest.length)
      this.send({ type: "subscribe", id: 2, topics: rest, ...(Object.keys(since).length ? { since } : {}) });
  }

  private receive(message: Message): void {
    this.heardAt = performance.now();
    this.heardClockMs = Date.now();
    switch (message.type) {
      case "connected":
        this.listener.picture(false); // A stale one is named again after the subscription.
        this.isOpen = true;
        this.showToken(); // Renewed while the connection was being made.
        this.subscribe(this.topics);
        break;
      case "subscribed":
        this.pauseMs = FIRST_PAUSE_MS;
        this.refusals = 0;
        this.listener.state("open", "", message.denied ?? []);
        break;
      case "unsubscribed":
        if (message.code) this.listener.rights(message.topics ?? []);
        break;
      case "error":
        if (message.code === "rate_limited") {
          clearTimeout(this.again);
          this.again = setTimeout(() => this.subscribe(this.topics), (message.retry_after_s ?? 1) * 1000);
        } else if (message.id === 1 && !this.plain) {
          // A service of an older release knows no columns: take the plain form.
          this.plain = true;
          this.subscribe(["aircraft"]);
        }
        break;
      case "picture":
        this.listener.picture(message.state === "stale");
        break;
      case "reconnect":
        this.comeBackMs = (message.after_s ?? 1) * 1000;
        break;
      case "event":
        this.take(message);
        break;
    }
  }

  private take({ topic, event, epoch, seq, data }: Message): void {
    if (event === "aircraft:columns") {
      this.listener.columns(data as unknown as Columns);
    } else if (event === "aircraft:snapshot") {
      this.listener.aircraft(data.aircraft as Aircraft[], [], true, data.now as number);
    } else if (event === "aircraft:update") {
      const point = this.points[topic];
      if (!point || point.epoch !== epoch || point.seq !== data.since) {
        delete this.points[topic]; // Something is missing: start over.
        this.subscribe([topic]);
        return;
      }
      this.listener.aircraft(data.aircraft as Aircraft[], data.removed as string[], false, data.now as number);
    } else if (event.endsWith(":snapshot")) {
      for (const one of (data.events ?? []) as { event: string; data: Record<string, unknown> }[]) {
        this.listener.event(topic, one.event, { ...one.data, past: true });
      }
    } else {
      this.listener.event(topic, event, data);
    }
    this.points[topic] = { epoch, seq };
  }

  private send(message: Record<string, unknown>): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(this.socket.protocol === PROTOCOLS[0] ? encode(message) : JSON.stringify(message));
  }
}

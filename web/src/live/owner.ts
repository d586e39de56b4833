// For whom the worker holds the channel: decided in one place, once all of a session is known, so that none opens twice.
import { kiosk } from "../core/kiosk";
import type { Readable } from "../core/cell";
import type { Config, Status, User } from "../session/session";
import type { Order } from "./messages";

export interface Who {
  readonly status: Readable<Status>;
  readonly user: Readable<User | null>;
  readonly config: Readable<Config | null>;
  readonly token: Readable<string | null>;
  canView(feature: string): boolean;
}

export class ChannelOwner {
  /** The person, topics and address of the channel that was asked for last; empty before the first. */
  private owner = "";
  private isDue = false;

  constructor(
    private readonly who: Who,
    /** Topics of the channel, each of the feature of its name. */
    private readonly topics: readonly string[],
    private readonly fields: () => string[],
    private readonly send: (order: Order) => void,
  ) {}

  start(): void {
    const { status, user, config, token } = this.who;
    for (const cell of [status, user, config]) cell.subscribe(() => this.connectSoon());
    token.subscribe((value) => {
      if (this.owner && status.value === "authenticated") this.send({ type: "token", token: value });
    });
    this.connect();
  }

  get hasAsked(): boolean {
    return this.owner !== "";
  }

  /** What makes up a session changes piece by piece: act once all of them have. */
  private connectSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    queueMicrotask(() => {
      this.isDue = false;
      this.connect();
    });
  }

  /** The person of this session; null while the service is being asked who that is. */
  private get person(): string | null {
    const status = this.who.status.value;
    const user = this.who.user.value;
    // Between the answer to a login and the profile there is a user, but nobody is signed in yet.
    if (status === "anonymous") return user ? null : "anonymous";
    return status === "authenticated" && user ? `user ${user.id}` : null;
  }

  /** Connect as whoever this is now; again when that changes. */
  private connect(): void {
    const config = this.who.config.value;
    const { person } = this;
    if (!config || person === null) return;
    const topics = this.topics.filter((topic) => this.who.canView(topic));
    const url =
      topics.length && config.realtime.url
        ? `${config.realtime.url.replace(/\/$/, "")}${config.realtime.path}${kiosk ? "?anonymous=1" : ""}`
        : "";
    const owner = [person, url, ...topics].join();
    if (owner === this.owner) return;
    this.owner = owner;
    if (url) this.send({ type: "connect", url, token: this.who.token.value, topics, fields: this.fields() });
    else this.send({ type: "disconnect" });
  }
}

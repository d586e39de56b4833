// Who is at this browser: the three states of the specification's reference client, tokens that are renewed 30 s before
// they end, and all tabs of this browser sharing one renewal.
import { Cell } from "../core/cell";
import { CREDENTIALS, kiosk } from "../core/kiosk";
import { readEntry, writeEntry } from "../core/storage";
import type { Schemas } from "./operations";

export type User = Schemas["Profile"] | Schemas["UserSummary"];
export type Config = Schemas["AuthConfig"];
/** Tokens of a login, with whom they are of, where the answer says so. */
export type Pair = Schemas["Tokens"] & { user?: User };
export type Status = "loading" | "anonymous" | "authenticated";

/** What became of a renewal; `unknown`: the service could not be asked, and the login may be good. */
type Renewal = "renewed" | "refused" | "unknown";

// Other installations may be below other paths of the same origin: each has a session of its own.
const PATH = new URL(".", document.baseURI).pathname.slice(0, -1);
const ACCESS = `skywatch.access${PATH}`;
const REFRESH = `skywatch.refresh${PATH}`;
const USER = `skywatch.user${PATH}`;
const RENEW_BEFORE_S = 30;
const RETRY_S = 10;
/** An answer that takes longer will not come: a connection that died silently holds nobody up. */
const ANSWER_MS = 15_000;
const CHECK_PAUSE_MS = 1000;
const LOCK = `skywatch.refresh${PATH}`;
const API = new URL("api/v1/", document.baseURI).href;

/** When a token ends, by the service's clock. */
function lifetime(token: string): { expires: number } | null {
  try {
    const payload = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return { expires: (JSON.parse(atob(payload)) as { exp: number }).exp };
  } catch {
    return null;
  }
}

class Session {
  readonly status = new Cell<Status>("loading");
  readonly user = new Cell<User | null>(null);
  readonly config = new Cell<Config | null>(null);
  /** The token of the moment, for the channel. */
  readonly token = new Cell<string | null>(null);
  /** Why the last session ended, where it did not end by the person's own wish. */
  readonly ended = new Cell<boolean>(false);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isCookie = false;
  private question: Promise<void> | null = null;
  private checkTimer: ReturnType<typeof setTimeout> | undefined;
  private checkedAt = -Infinity;
  /** Seconds by which the service's clock is ahead of this browser's. */
  private clockOffset = 0;

  get access(): string | null {
    return this.isCookie ? null : readEntry(ACCESS);
  }

  get refresh(): string | null {
    return readEntry(REFRESH);
  }

  async start(): Promise<void> {
    if (kiosk) {
      await this.loadConfig();
      this.forget();
      return;
    }
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key === ACCESS || key === null || (key === USER && this.isCookie)) void this.adopt(newValue);
    });
    await this.loadConfig();
    const token = readEntry(ACCESS);
    const cached = readEntry(USER);
    // Where the tokens are cookies, which no script sees, the cached user is the sign that somebody signed in here.
    if (!cached) {
      this.forget();
      return;
    }
    this.user.set(JSON.parse(cached) as User);
    const life = token ? lifetime(token) : null;
    // A token that has run out while nobody was here is renewed before anything is asked with it.
    if (token && life && life.expires - this.now() < RENEW_BEFORE_S) await this.renew(token);
    if (this.status.value === "loading") await this.confirm();
  }

  async loadConfig(): Promise<void> {
    for (let pause = 500; ; pause = Math.min(pause * 2, 15_000)) {
      try {
        const answer = await fetch(`${API}auth/config`, { cache: "no-store", credentials: CREDENTIALS });
        if (answer.ok) {
          this.noteClock(answer);
          this.config.set((await answer.json()) as Config);
          return;
        }
      } catch {
        // The service is not there yet; the page waits for it.
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private noteClock(answer: Response): void {
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (!Number.isNaN(date)) this.clockOffset = date / 1000 - Date.now() / 1000;
  }

  private now(): number {
    return Date.now() / 1000 + this.clockOffset;
  }

  /** Ask the service who this is: by token, or by the cookie that no script can see. Who asks meanwhile waits with. */
  confirm(): Promise<void> {
    this.question ??= this.ask().finally(() => (this.question = null));
    return this.question;
  }

  /** Whether this login is still good, asked soon, however many want to know. */
  check(): void {
    if (this.status.value !== "authenticated" || this.checkTimer !== undefined) return;
    const wait = Math.max(0, this.checkedAt + CHECK_PAUSE_MS - performance.now());
    this.checkTimer = setTimeout(() => {
      this.checkTimer = undefined;
      this.checkedAt = performance.now();
      if (this.status.value === "authenticated") void this.confirm();
    }, wait);
  }

  /** Reload what may be seen here and what this person may do. */
  async reload(): Promise<void> {
    await this.loadConfig();
    this.check();
  }

  private async ask(): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      const token = readEntry(ACCESS);
      if (!token && !this.user.value) break;
      const answer = await this.fetch("auth/profile", { headers: token ? { Authorization: `Bearer ${token}` } : {} });
      // Somebody logged in or out meanwhile, or another tab renewed the token: the answer is about the past.
      if (readEntry(ACCESS) !== token) continue;
      if (answer?.ok) {
        this.isCookie = !token;
        this.accept((await answer.json()) as User);
        return;
      }
      if (answer?.status === 403) {
        this.end();
        return;
      }
      if (answer?.status !== 401) break;
      const renewal = await this.renew(token);
      if (renewal === "refused") return;
      if (renewal === "unknown") break;
    }
    // Without the network, what is known of the user stays; the renewal and the channel find out.
    if (this.user.value) this.accept(this.user.value);
    else this.forget();
  }

  private fetch(path: string, options: RequestInit = {}): Promise<Response | null> {
    return fetch(API + path, {
      cache: "no-store",
      credentials: CREDENTIALS,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...options,
    }).catch(() => null);
  }

  private accept(user: User): void {
    const written = JSON.stringify(user);
    if (JSON.stringify(this.user.value) !== written) this.user.set(user);
    writeEntry(USER, written);
    if (!this.isCookie) this.token.set(this.access);
    this.ended.set(false);
    this.plan();
    this.status.set("authenticated");
  }

  /** Tokens of a login or of a sign-on: kept here, unless the browser has them as cookies. */
  async take(pair: Pair): Promise<void> {
    if (!(await this.place(pair))) await this.confirm();
  }

  /** Tokens that replace those of this browser, perhaps of the same login: no tab may use the old ones meanwhile. */
  async replace(exchange: () => Promise<Pair>): Promise<void> {
    if (!(await this.exclusively(async () => this.place(await exchange())))) await this.confirm();
  }

  /** An access token for a header, even where the tokens are cookies: a renewal hands it out once more. */
  async headerToken(): Promise<string | null> {
    const token = this.access ?? this.token.value;
    const life = token ? lifetime(token) : null;
    if (this.status.value === "authenticated" && !(life && life.expires - this.now() > 0)) {
      await this.renew(this.isCookie ? null : token);
    }
    return this.access ?? this.token.value;
  }

  /** Whether the browser has the tokens as cookies; else they are kept here. */
  private async place(pair: Pair): Promise<boolean> {
    // Without cookies the question would be refused, and the browser would complain of it.
    const byCookie = this.config.value?.cookie_auth_enabled === false ? null : await this.fetch("auth/profile");
    if (byCookie?.ok) {
      const user = (await byCookie.json()) as User;
      if (!pair.user || pair.user.id === user.id) {
        this.isCookie = true;
        this.token.set(pair.access);
        this.accept(user);
        return true;
      }
    }
    this.isCookie = false;
    this.keep(pair);
    if (pair.user) this.user.set(pair.user);
    return false;
  }

  private keep(pair: Pair): void {
    if (!this.isCookie) {
      writeEntry(ACCESS, pair.access);
      writeEntry(REFRESH, pair.refresh);
    }
    // With cookies the channel alone is shown the token; nothing stores it.
    this.token.set(pair.access);
  }

  /** After an answer of 401: whether there is a token now that is worth trying. */
  async recover(used: string | null): Promise<boolean> {
    if (!this.isCookie && !used) return false;
    return (await this.renew(used)) === "renewed";
  }

  /**
   * Exchange the refresh token, once for all tabs: a second use would look like theft and end the login. `used` is
   * the token that is to be replaced, null where the tokens are cookies.
   */
  private async renew(used: string | null): Promise<Renewal> {
    return this.exclusively(() => this.exchange(used));
  }

  private async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return "locks" in navigator ? await (navigator.locks.request(LOCK, work) as Promise<T>) : work();
  }

  private async exchange(used: string | null): Promise<Renewal> {
    const present = readEntry(ACCESS);
    if (present && present !== used) {
      this.token.set(present); // Another tab was quicker.
      this.plan();
      return "renewed";
    }
    const refresh = this.refresh;
    if (used && !refresh) {
      this.end();
      return "refused";
    }
    const answer = await this.fetch("auth/refresh", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(used ? { refresh } : {}),
    });
    if (answer) this.noteClock(answer);
    if (answer?.ok) {
      this.keep((await answer.json()) as Pair);
      this.plan();
      return "renewed";
    }
    if (answer && [400, 401, 403].includes(answer.status)) {
      // Not the end of a login that began while this one was asked about.
      if (readEntry(ACCESS) !== used) return "renewed";
      this.end();
      return "refused";
    }
    this.plan(Number(answer?.headers.get("Retry-After")) || RETRY_S);
    return "unknown";
  }

  private plan(seconds?: number): void {
    clearTimeout(this.timer);
    const token = this.isCookie ? this.token.value : readEntry(ACCESS);
    const life = token ? lifetime(token) : null;
    if (!life) return;
    const wait = seconds ?? Math.max(1, life.expires - RENEW_BEFORE_S - this.now());
    // Timers count in 32 bits, and a machine that slept wakes late: look again at least once a minute.
    this.timer = setTimeout(
      () => (wait > 60 ? this.plan() : void this.renew(this.isCookie ? null : token)),
      Math.min(wait, 60) * 1000,
    );
  }

  /** Another tab logged in, perhaps as somebody else, renewed or logged out. */
  private async adopt(token: string | null): Promise<void> {
    if (!token) {
      this.forget();
      return;
    }
    if (this.status.value === "authenticated" && !this.isCookie) {
      this.token.set(token);
      this.plan();
    }
    await this.confirm();
  }

  /** The service says that this login is over. */
  end(): void {
    const wasSomebody = this.user.value !== null || readEntry(ACCESS) !== null;
    this.forget();
    this.ended.set(wasSomebody);
  }

  /** Drop the tokens and the user: nobody is signed in any more. */
  forget(): void {
    clearTimeout(this.timer);
    clearTimeout(this.checkTimer);
    this.checkTimer = undefined;
    this.isCookie = false;
    for (const name of [ACCESS, REFRESH, USER]) writeEntry(name, null);
    this.user.set(null);
    this.token.set(null);
    this.status.set("anonymous");
  }

  // What this person may see and do

  /** The permissions that view a feature, where they are not `<feature>.view`. */
  readonly viewPermissions: Record<string, string> = {};

  /** Whether a feature may be read: what the service would answer, so that no page is offered in vain. */
  canView(feature: string): boolean {
    const config = this.config.value;
    if (!config || !isFeature(config, feature)) return false;
    const access = config.features[feature];
    if (!access.is_enabled) return false;
    if (config.auth_mode === "public") return true;
    const user = this.user.value;
    if (access.read_access === "public" && config.auth_mode === "hybrid") return true;
    if (!user) return false;
    return (
      access.read_access !== "permission" ||
      user.permissions.includes(this.viewPermissions[feature] ?? `${feature}.view`)
    );
  }

  can(permission: string): boolean {
    const config = this.config.value;
    const feature = permission.split(".")[0];
    if (!config || !isFeature(config, feature) || !config.features[feature].is_enabled) return false;
    const user = this.user.value;
    if (!user) return config.granted.anonymous.includes(permission);
    return user.permissions.includes(permission) || config.granted.identity.includes(permission);
  }
}

function isFeature(config: Config, name: string): name is keyof Config["features"] {
  return name in config.features;
}

export const session = new Session();

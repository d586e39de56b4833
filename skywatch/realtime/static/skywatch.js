// The reference client of Skywatch's real-time channel for web pages (an ES module without dependencies).
//
//   import { SkywatchChannel } from "https://sky.example/api/v1/realtime/skywatch.js";
//   const channel = new SkywatchChannel({ url: "wss://sky.example/ws", topics: ["aircraft", "alerts"],
//     token: async () => accessToken,               // asked again before it expires; null comes by the access cookie
//                                                   // (renewed before null is given), or anonymously
//     onEvent: (event) => {}, onState: (state, detail) => {} });
//   channel.start();
//   channel.lists.aircraft                          // Map of address -> aircraft, always up to date
//
// It reconnects with growing pauses, resumes where it stopped, and shows a new token before the old one ends.

const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30000;
const RENEW_BEFORE_MS = 30000;
const LIVE_TOPICS = ["aircraft", "military"];
// Refusals that trying again cannot mend.
const REFUSED = new Set([4001, 4003]);

function expiryOf(token) {
  try {
    const payload = token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    return JSON.parse(atob(payload)).exp * 1000 || null;
  } catch {
    return null; // An API key, for example.
  }
}

export class SkywatchChannel {
  constructor({ url, topics, token = async () => null, bbox = null, onEvent = () => {}, onState = () => {},
                WebSocket = globalThis.WebSocket }) {
    Object.assign(this, { url, topics: [...topics], token, bbox, onEvent, onState, WebSocket });
    this.lists = Object.fromEntries(this.topics.filter((t) => LIVE_TOPICS.includes(t)).map((t) => [t, new Map()]));
    this.points = {};
    this.pauseMs = FIRST_PAUSE_MS;
    this.refusals = 0;
    this.stopped = true;
  }

  start() {
    this.stopped = false;
    this._open();
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.retryTimer);
    clearTimeout(this.renewTimer);
    if (this.socket) this.socket.close(1000);
  }

  // Look at another area ([west, south, east, north] in degrees, null for everywhere).
  move(bbox) {
    this.bbox = bbox;
    for (const topic of LIVE_TOPICS) delete this.points[topic];
    const topics = this.topics.filter((t) => LIVE_TOPICS.includes(t));
    if (this.subscribed && topics.length) this._send({ type: "subscribe", topics, bbox });
  }

  async _open() {
    let token;
    try {
      token = await this.token();
    } catch (error) {
      return this._retry(String(error));
    }
    if (this.stopped) return;
    this.onState("connecting");
    this.comeBackMs = null;
    this.subscribed = false;
    const socket = new this.WebSocket(this.url, ["skywatch.v1"]);
    this.socket = socket;
    socket.onopen = () => this._send({ type: "connect", ...(token ? { auth: { token } } : {}) });
    socket.onmessage = (message) => this._receive(JSON.parse(message.data), token);
    socket.onclose = ({ code, reason }) => {
      clearTimeout(this.renewTimer);
      clearTimeout(this.againTimer);
      this.subscribed = false;
      if (this.stopped) return this.onState("stopped");
      // A new token, or the cookie that is new by then, may be better; without any there is nothing to try again with.
      if (REFUSED.has(code) && (++this.refusals > 1 || (!token && !this.user))) {
        this.stopped = true;
        return this.onState("refused", reason);
      }
      this._retry(reason || `closed with ${code}`);
    };
    socket.onerror = () => {}; // A close always follows.
  }

  _retry(detail) {
    // Full jitter: thousands of pages must not come back in the same moment.
    const wait = this.comeBackMs ?? this.pauseMs * (0.5 + Math.random() / 2);
    this.pauseMs = Math.min(this.pauseMs * 2, LAST_PAUSE_MS);
    this.onState("waiting", detail);
    this.retryTimer = setTimeout(() => this._open(), wait);
  }

  _receive(message, token) {
    if (message.type === "connected") {
      this.user = message.user;
      this._renewBefore(expiryOf(token ?? ""));
      this._subscribe();
    } else if (message.type === "subscribed") {
      this.pauseMs = FIRST_PAUSE_MS;
      this.refusals = 0;
      this.subscribed = true;
      this.onState("open", message.denied);
    } else if (message.type === "error" && message.code === "rate_limited") {
      // Too many snapshots in a short time: what was asked for last comes a little later.
      clearTimeout(this.againTimer);
      this.againTimer = setTimeout(() => this._subscribe(), (message.retry_after_s ?? 1) * 1000);
    } else if (message.type === "reconnect") {
      this.comeBackMs = message.after_s * 1000;
    } else if (message.type === "event") {
      this._take(message);
    }
  }

  _subscribe() {
    this._send({ type: "subscribe", topics: this.topics, ...(this.bbox ? { bbox: this.bbox } : {}),
                 ...(Object.keys(this.points).length ? { since: this.points } : {}) });
  }

  _take({ topic, event, epoch, seq, data }) {
    const list = this.lists[topic];
    if (list && event === "aircraft:snapshot") list.clear();
    if (list && event === "aircraft:update") {
      const point = this.points[topic];
      if (!point || point.epoch !== epoch || point.seq !== data.since) {
        delete this.points[topic]; // Something is missing: start over.
        return this._send({ type: "subscribe", topics: [topic], ...(this.bbox ? { bbox: this.bbox } : {}) });
      }
      for (const address of data.removed) list.delete(address);
    }
    if (list && data.aircraft) for (const aircraft of data.aircraft) list.set(aircraft.hex, aircraft);
    this.points[topic] = { epoch, seq };
    this.onEvent({ topic, event, epoch, seq, data });
  }

  _renewBefore(expiresAt) {
    clearTimeout(this.renewTimer);
    if (expiresAt === null) return;
    // setTimeout counts in 32 bits.
    const wait = Math.min(Math.max(0, expiresAt - RENEW_BEFORE_MS - Date.now()), 2 ** 31 - 1);
    this.renewTimer = setTimeout(async () => {
      try {
        const token = await this.token();
        if (token && this.subscribed) this._send({ type: "refresh", auth: { token } });
        this._renewBefore(Math.max(expiryOf(token ?? "") ?? 0, Date.now() + RENEW_BEFORE_MS + 1000));
      } catch (error) {
        this.onState("waiting", String(error)); // The server ends the connection; then it is tried again.
      }
    }, wait);
  }

  _send(message) {
    if (this.socket && this.socket.readyState === 1) this.socket.send(JSON.stringify(message));
  }
}

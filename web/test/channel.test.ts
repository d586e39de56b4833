import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Channel, type Listener } from "../src/live/channel";

mock.timers.enable({ apis: ["setInterval", "setTimeout"] });

/** A connection that the test speaks through. */
class Socket {
  static readonly OPEN = 1;
  static last: Socket;
  static opened = 0;
  readonly readyState = 1;
  readonly protocol = "skywatch.v1";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  constructor() {
    Socket.last = this;
    Socket.opened += 1;
  }
  send(): void {}
  close(): void {}
  hear(message: Record<string, unknown>): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}
Object.assign(globalThis, { WebSocket: Socket });

test("a tracker that falls silent is told, and forgotten with the connection", () => {
  const told: boolean[] = [];
  const nothing = (): void => undefined;
  const listener: Listener = {
    columns: nothing,
    aircraft: nothing,
    event: nothing,
    state: nothing,
    rights: nothing,
    picture: (isStale) => told.push(isStale),
  };
  const channel = new Channel(listener);
  channel.start("ws://127.0.0.1/ws", null, ["aircraft"], []);
  Socket.last.hear({ type: "connected" });
  Socket.last.hear({ type: "subscribed" });
  Socket.last.hear({ type: "picture", state: "stale", age_s: 4.2 });
  assert.deepEqual(told, [false, true]);
  Socket.last.hear({ type: "picture", state: "live", age_s: 0 });
  assert.deepEqual(told, [false, true, false]);
  Socket.last.hear({ type: "picture", state: "stale", age_s: 4.2 });
  Socket.last.onclose?.({ code: 1006, reason: "" });
  mock.timers.tick(1000);
  Socket.last.hear({ type: "connected" });
  assert.deepEqual(told, [false, true, false, true, false]);
  channel.stop();
});

test("after an hour of sleep what piled up is left, and one snapshot comes", (context) => {
  const pictures: number[] = [];
  const nothing = (): void => undefined;
  const channel = new Channel({
    columns: ({ now }) => pictures.push(now),
    aircraft: nothing,
    event: nothing,
    state: nothing,
    rights: nothing,
    picture: nothing,
  });
  const picture = (now: number, full = false): Record<string, unknown> => {
    return {
      type: "event",
      topic: "aircraft",
      event: "aircraft:columns",
      epoch: "1",
      seq: now,
      data: { full, fields: ["hex"], rows: [], removed: [], hidden: 0, now },
    };
  };
  channel.start("ws://127.0.0.1/ws", null, ["aircraft"], []);
  const before = Socket.last;
  const opened = Socket.opened;
  before.hear({ type: "connected" });
  before.hear({ type: "subscribed" });
  before.hear(picture(1, true));
  const clock = Date.now;
  context.mock.method(Date, "now", () => clock() + 3_600_000);
  for (let second = 2; second < 100; second += 1) before.hear(picture(second));
  assert.equal(Socket.opened, opened + 1);
  Socket.last.hear({ type: "connected" });
  Socket.last.hear({ type: "subscribed" });
  Socket.last.hear(picture(3601, true));
  Socket.last.hear(picture(3602));
  assert.deepEqual(pictures, [1, 3601, 3602]);
  assert.equal(Socket.opened, opened + 1);
  channel.stop();
});

test("a connection that breaks is followed by one other, however often the page asks for it", () => {
  const nothing = (): void => undefined;
  const channel = new Channel({
    columns: nothing,
    aircraft: nothing,
    event: nothing,
    state: nothing,
    rights: nothing,
    picture: nothing,
  });
  const before = Socket.opened;
  channel.start("ws://127.0.0.1/ws", "one", ["aircraft"], []);
  Socket.last.onclose?.({ code: 1006, reason: "" });
  channel.hurry();
  channel.setToken("two");
  channel.hurry();
  mock.timers.tick(10_000);
  assert.equal(Socket.opened, before + 2);
  channel.stop();
  mock.timers.tick(60_000);
  assert.equal(Socket.opened, before + 2);
});

test("a standstill of the page is not taken for a service that does not answer", (context) => {
  const nothing = (): void => undefined;
  const channel = new Channel({
    columns: nothing,
    aircraft: nothing,
    event: nothing,
    state: nothing,
    rights: nothing,
    picture: nothing,
  });
  let now = performance.now();
  context.mock.method(performance, "now", () => now);
  const pass = (ms: number): void => {
    now += ms;
    mock.timers.tick(3000);
  };
  channel.start("ws://127.0.0.1/ws", null, ["aircraft"], []);
  const opened = Socket.opened;
  pass(20_000); // The answer to the connection waits behind the timer.
  Socket.last.hear({ type: "connected" });
  pass(6000); // It is asked.
  pass(20_000);
  assert.equal(Socket.opened, opened);
  Socket.last.hear({ type: "pong" });
  for (let look = 0; look < 6; look += 1) pass(3000);
  assert.equal(Socket.opened, opened + 1, "a service that is asked and says nothing is given up");
  channel.stop();
});

test("a subscription that came too soon is asked for again, in the same form", () => {
  const nothing = (): void => undefined;
  const channel = new Channel({
    columns: nothing,
    aircraft: nothing,
    event: nothing,
    state: nothing,
    rights: nothing,
    picture: nothing,
  });
  channel.start("ws://127.0.0.1/ws", null, ["aircraft"], ["lat"]);
  const sent: Record<string, unknown>[] = [];
  Object.assign(Socket.last, { send: (text: string) => sent.push(JSON.parse(text) as Record<string, unknown>) });
  Socket.last.hear({ type: "connected" });
  Socket.last.hear({ type: "error", id: 1, code: "rate_limited", detail: "", retry_after_s: 2 });
  mock.timers.tick(1999);
  assert.equal(sent.length, 1);
  mock.timers.tick(1);
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[1], sent[0]);
  assert.equal(sent[1]?.format, "columns");
  channel.stop();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Cell } from "../src/core/cell";
import type { Order } from "../src/live/messages";
import { ChannelOwner } from "../src/live/owner";
import type { Config, Status, User } from "../src/session/session";

interface Made {
  who: Record<"status" | "user" | "config" | "token", Cell<unknown>>;
  orders: Order[];
  pause: () => Promise<void>;
}

/** A session of which the test sets one piece after the other; signed in or not, aircraft may be seen. */
function session(publicFeatures: string[] = ["aircraft"]): Made {
  const who = {
    status: new Cell<Status>("loading"),
    user: new Cell<User | null>(null),
    config: new Cell<Config | null>(null),
    token: new Cell<string | null>(null),
    canView: (feature: string): boolean => who.user.value !== null || publicFeatures.includes(feature),
  };
  const orders: Order[] = [];
  const owner = new ChannelOwner(
    who,
    ["aircraft", "system"],
    () => ["hex"],
    (order) => orders.push(order),
  );
  owner.start();
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
  return { who: who as unknown as Made["who"], orders, pause };
}

const config = { realtime: { url: "ws://127.0.0.1/", path: "/ws", protocols: [] } } as unknown as Config;
const person = { id: 7, username: "anna", permissions: [], roles: [] } as unknown as User;

test("a page that begins with a stored login opens one channel", async () => {
  const { who, orders, pause } = session();
  who.config.set(config);
  await pause();
  who.user.set(person);
  await pause();
  who.user.set({ ...person });
  who.token.set("token");
  await pause();
  who.status.set("authenticated");
  await pause();
  assert.deepEqual(
    orders.map(({ type }) => type),
    ["connect"],
  );
  assert.equal(orders[0].type === "connect" && orders[0].url, "ws://127.0.0.1/ws");
});

test("a login opens one channel, although its user is there before it is confirmed", async () => {
  const { who, orders, pause } = session();
  who.config.set(config);
  who.status.set("anonymous");
  await pause();
  assert.equal(orders.length, 1);
  who.token.set("token");
  who.user.set(person);
  await pause();
  who.status.set("authenticated");
  await pause();
  const connections = orders.filter(({ type }) => type === "connect");
  assert.equal(connections.length, 2, "one for strangers, one for the person");
  assert.equal(connections[1].type === "connect" && connections[1].token, "token");
});

test("a login that is not confirmed leaves the channel of strangers as it is", async () => {
  const { who, orders, pause } = session();
  who.config.set(config);
  who.status.set("anonymous");
  await pause();
  who.user.set(person);
  await pause();
  who.user.set(null);
  await pause();
  assert.deepEqual(
    orders.map(({ type }) => type),
    ["connect"],
  );
});

test("who may see nothing has no channel", async () => {
  const { who, orders, pause } = session([]);
  who.config.set(config);
  who.status.set("anonymous");
  await pause();
  assert.deepEqual(
    orders.map(({ type }) => type),
    ["disconnect"],
  );
});

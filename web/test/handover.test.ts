import assert from "node:assert/strict";
import { test } from "node:test";

// The module asks where the page is when it is loaded.
Object.assign(globalThis, { document: { baseURI: "https://radar.example/sky/", querySelector: () => null } });
const { loginOf, mayAdminister, needsSession } = await import("../src/session/handover");

test("whoever manages people, roles or the service finds something in the console", () => {
  assert.ok(mayAdminister(["aircraft.view", "roles.view"]));
  assert.ok(mayAdminister(["users.edit"]));
  assert.ok(mayAdminister(["system.manage"]));
  assert.ok(!mayAdminister(["aircraft.view", "system.view_status", "alerts.manage_all"]));
});

test("links into the console need a session, but for the pages that begin one", () => {
  const home = new URL("https://radar.example/sky/console");
  const needs = (address: string): boolean => needsSession(new URL(address, home), home);
  assert.ok(needs("console"));
  assert.ok(needs("console/receivers?step=3"));
  assert.ok(!needs("console/setup"));
  assert.ok(!needs("console/sign-in?next=/console"));
  assert.ok(!needs("consoles"));
  assert.ok(!needs("/console"));
  assert.ok(!needs("https://elsewhere.example/sky/console"));
});

test("the login of a token is read from its claims", () => {
  const token = `x.${Buffer.from(JSON.stringify({ sid: "abc" })).toString("base64url")}.y`;
  assert.equal(loginOf(token), "abc");
  assert.equal(loginOf("nonsense"), null);
});

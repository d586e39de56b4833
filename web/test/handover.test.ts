import assert from "node:assert/strict";
import { test } from "node:test";

// The module asks where the page is when it is loaded.
Object.assign(globalThis, {
  document: {
    baseURI: "https://radar.example/sky/",
    documentElement: { dataset: {} },
    querySelector: () => null,
  },
  localStorage: {
    getItem: (name: string) => (name.startsWith("skywatch.access") ? "a.b.c" : null),
    setItem: () => undefined,
  },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
});
const { prefer } = await import("../src/core/preferences");
const { language } = await import("../src/i18n/i18n");
const { enterConsole, loginOf, mayAdminister, needsSession } = await import("../src/session/handover");

test("the console gets the language that was chosen here, and none where none was", async (context) => {
  const asked: string[] = [];
  context.mock.method(globalThis, "fetch", (address: string) => {
    asked.push(address);
    return Promise.resolve(new Response(null, { status: 204 }));
  });
  await enterConsole();
  language.set("de");
  prefer({ language: "de" });
  await enterConsole();
  assert.deepEqual(asked, [
    "https://radar.example/sky/console/enter",
    "https://radar.example/sky/console/enter?language=de",
  ]);
});

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

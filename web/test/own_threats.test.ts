import { PAGE, Refusal, press, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "../src/session/session";
import { signIn } from "./people";
import "../src/features/cannonball/page";

const THREAT = {
  id: 1,
  icao_hex: "4B0001",
  callsign: "",
  is_active: true,
  threat_level: "warning",
  urgency_score: 40,
  distance_nm: 3,
  bearing: 90,
  closing_speed_kts: 0,
  last_seen: "2026-11-29T17:31:14Z",
  pattern_count: 0,
  alert_count: 0,
  user: 7,
  identification: "known",
  known_aircraft: null,
  agency_name: "",
  military: false,
  simulated: false,
  peak_threat_level: "warning",
  peak_urgency_score: 40,
  closest_nm: 3,
  started_at: "2026-11-29T17:31:14Z",
  ended_at: null,
  end_reason: null,
} as const;

test("around a person who manages Cannonball are only threats of their own", async () => {
  const asked = serve({
    "GET cannonball/sessions/": () => ({ ...PAGE, sessions: [], count: 0 }),
    "GET cannonball/alerts/": () => ({ ...PAGE, alerts: [], count: 0 }),
  });
  await signIn("cannonball.view", "cannonball.manage");
  await show("sw-cannonball");
  assert.deepEqual(
    asked.map(({ operation, query }) => [operation, query.user]),
    [
      ["GET cannonball/sessions/", "7"],
      ["GET cannonball/alerts/", "7"],
    ],
  );
});

test("threats are shown with their agencies, the most urgent first", async () => {
  const helicopter = {
    ...THREAT,
    icao_hex: "4B3333",
    callsign: "HBZYC",
    agency_name: "Kantonspolizei",
    urgency_score: 62,
  };
  serve({
    "GET cannonball/sessions/": () => ({ ...PAGE, sessions: [THREAT, helicopter], count: 2 }),
    "GET cannonball/alerts/": () => ({ ...PAGE, alerts: [], count: 0 }),
  });
  await signIn("cannonball.view");
  const page = await show("sw-cannonball");
  await settled();
  assert.deepEqual(
    [...page.querySelectorAll(".threat .who")].map((one) => [
      one.querySelector("a")!.textContent,
      one.querySelector(".agency")?.textContent,
    ]),
    [
      ["HBZYC", "Kantonspolizei"],
      ["4B0001", undefined],
    ],
  );
});

test("who comes back to the page goes on watching, and is offered only to stop", async () => {
  serve({
    "GET cannonball/sessions/": () => ({ ...PAGE, sessions: [], count: 0 }),
    "GET cannonball/alerts/": () => ({ ...PAGE, alerts: [], count: 0 }),
    "DELETE cannonball/location/": () => null,
  });
  await signIn("cannonball.view");
  const geolocation = { watchPosition: () => 3, clearWatch: () => undefined };
  Object.defineProperty(navigator, "geolocation", { value: geolocation, configurable: true });
  Object.assign(globalThis, { isSecureContext: true });
  const first = await show("sw-cannonball");
  first.querySelector<HTMLElement>("button.primary.big")!.click();
  first.remove();
  const again = await show("sw-cannonball");
  assert.deepEqual(
    [...again.querySelectorAll("button.big")].map((one) => one.textContent!.trim()),
    ["Stop and forget my position"],
  );
  press(again, "Stop and forget my position");
  await settled();
});

test("somebody else at the same browser is not watched, nor is one who was refused", async () => {
  serve({
    "GET cannonball/sessions/": () => ({ ...PAGE, sessions: [], count: 0 }),
    "GET cannonball/alerts/": () => ({ ...PAGE, alerts: [], count: 0 }),
    "GET cannonball/location/": () => new Refusal(404, "not_found"),
  });
  let begun = 0;
  let refuse: (failure: object) => void = () => undefined;
  const watchPosition = (_: unknown, failed: typeof refuse): number => {
    refuse = failed;
    return ++begun;
  };
  const geolocation = { watchPosition, clearWatch: () => undefined };
  Object.defineProperty(navigator, "geolocation", { value: geolocation, configurable: true });
  Object.assign(globalThis, { isSecureContext: true });
  await signIn("cannonball.view");
  const first = await show("sw-cannonball");
  first.querySelector<HTMLElement>("button.primary.big")!.click();
  first.remove();
  const ada = session.user.value!;
  session.user.set({ ...ada, id: ada.id + 1 });
  (await show("sw-cannonball")).remove();
  assert.equal(begun, 1);
  session.user.set(ada);
  const again = await show("sw-cannonball");
  assert.equal(begun, 2);
  refuse({ code: 1, PERMISSION_DENIED: 1 });
  again.remove();
  await show("sw-cannonball");
  assert.equal(begun, 2);
  await settled();
});

test("the screen stays on while threats are watched, also after the page was hidden", async () => {
  serve({
    "GET cannonball/sessions/": () => ({ ...PAGE, sessions: [], count: 0 }),
    "GET cannonball/alerts/": () => ({ ...PAGE, alerts: [], count: 0 }),
    "DELETE cannonball/location/": () => null,
  });
  await signIn("cannonball.view");
  const locks: { isHeld: boolean }[] = [];
  const wakeLock = {
    request: () => {
      const lock = { isHeld: true, release: () => Promise.resolve((lock.isHeld = false)) };
      locks.push(lock);
      return Promise.resolve(lock);
    },
  };
  const geolocation = { watchPosition: () => 3, clearWatch: () => undefined };
  Object.defineProperties(navigator, {
    wakeLock: { value: wakeLock, configurable: true },
    geolocation: { value: geolocation, configurable: true },
  });
  Object.assign(globalThis, { isSecureContext: true });
  const page = await show("sw-cannonball");
  assert.equal(locks.length, 0);
  page.querySelector<HTMLElement>("button.primary.big")!.click();
  await settled();
  assert.deepEqual(
    locks.map(({ isHeld }) => isHeld),
    [true],
  );
  document.dispatchEvent(new Event("visibilitychange"));
  await settled();
  assert.equal(locks.length, 2, "a browser has ended the first one");
  press(page, "Stop and forget my position");
  await settled();
  assert.equal(locks[1].isHeld, false);
});

import { PAGE, Refusal, press, serve, settled, show, submit, type } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "../src/core/address";
import type { Schemas } from "../src/session/operations";
import { FEATURES } from "../src/shell/feature";
import { signIn } from "./people";
import { feeders } from "../src/features/feeders/feature";
import "../src/features/feeders/page";

const AT = "2026-11-24T06:00:00Z";
const EVIL = "<img src=x onerror=hacked=1>";
const ATTIC: Schemas["FeederEntry"] = {
  id: 3,
  uuid_start: "0e48a1ba",
  name: "Attic",
  owner: { id: 7, username: "ada" },
  enabled: true,
  trusted: false,
  mlat: false,
  lat: 47.46,
  lon: 8.55,
  altitude_ft: 1500,
  place_privacy: "10km",
  state: "connected",
  connected_since: AT,
  last_seen_at: AT,
  address: null,
  messages_s: 240.5,
  positions_s: 60,
  aircraft: 12,
  bytes_s: 6300,
  disputes_share: 0.002,
  duplicates_share: 0.25,
  clock: "free",
  notice: null,
  created_at: AT,
  updated_at: AT,
};
const UUID = "0e48a1ba-d7d0-4a1b-a2b1-4b87d7d0a1ba";
const LINES = {
  readsb: `--net-connector=sky,30004,${UUID}`,
  ultrafeeder: `adsb,sky,30004,${UUID}`,
  socat: `printf ${UUID} | socat -u - TCP:sky:30004`,
};
const list = (...feeders: Schemas["FeederEntry"][]): Schemas["FeederList"] => ({
  ...PAGE,
  feeders,
  listening: true,
  count: feeders.length,
});

async function open(item: string | undefined, ...permissions: string[]): Promise<Element> {
  await signIn("feeders.view", ...permissions);
  route.set({ page: "feeders", ...(item ? { item } : {}), query: {} });
  const page = await show("sw-feeders");
  await settled();
  return page;
}

const buttons = (page: Element): string[] => [...page.querySelectorAll("button")].map((one) => one.textContent!.trim());

test("the list shows states, rates and notices, and offers strangers nothing to change", async () => {
  const copied = { ...ATTIC, id: 4, name: EVIL, owner: null, notice: { kind: "uuid_copied", at: AT } };
  serve({ "GET feeders/": () => list(ATTIC, copied) });
  const page = await open(undefined);
  const [first, second] = [...page.querySelectorAll("tbody tr")].map((row) => row.textContent!.replaceAll(/\s+/g, " "));
  assert.match(first, /Attic Connected ada 241\/s 60\/s 12 Free-running/);
  assert.ok(second.includes(EVIL) && second.includes("UUID copied") && second.includes("Managers"));
  assert.equal(page.querySelectorAll("td img").length, 0);
  assert.equal(page.querySelector<HTMLAnchorElement>("tbody a")!.getAttribute("href"), "#/feeders/3");
  assert.match(page.querySelector("header p")!.textContent!, /2 feeders, 2 connected/);
  assert.deepEqual(buttons(page), []);
});

test("the owner is notified of a copied UUID", async () => {
  await signIn("feeders.view");
  const notice = feeders.notice!("feeder:uuid_copied", { id: 3, name: EVIL, at: AT });
  assert.deepEqual(notice, { title: "UUID copied", text: EVIL });
  assert.equal(feeders.notice!("system:status", {}), null);
});

test("a feeder is registered, its UUID and lines are shown once and copied", async () => {
  const asked = serve({
    "GET feeders/": () => list(),
    "POST feeders/": ({ body }) => {
      const { name } = body as { name: string };
      if (name === "taken")
        return new Refusal(400, "validation_failed", [{ location: "body", name: "name", detail: "is taken" }]);
      return { ...ATTIC, uuid: UUID, lines: LINES };
    },
  });
  const page = await open(undefined, "feeders.own");
  assert.match(page.querySelector(".empty")!.textContent!, /Register a receiver/);
  press(page, "Register a feeder");
  await settled();
  assert.ok(page.querySelector("[name=trusted]") === null, "only managers set trust");
  type(page, "[name=name]", "taken");
  await submit(page);
  assert.match(page.querySelector(".field-fault")!.textContent!, /taken/);
  type(page, "[name=name]", " Attic ");
  type(page, "[name=uuid]", UUID);
  type(page, "[name=lat]", "47.46");
  type(page, "[name=lon]", "8.55");
  await submit(page);
  const { body } = asked.findLast(({ operation }) => operation.startsWith("POST"))!;
  const place = { lat: 47.46, lon: 8.55, altitude_ft: null, place_privacy: "10km", mlat: false };
  assert.deepEqual(body, { name: "Attic", uuid: UUID, ...place });
  const shown = [...page.querySelectorAll(".feeder-credentials code")].map((one) => one.textContent);
  assert.deepEqual(shown, [UUID, LINES.readsb, LINES.ultrafeeder, LINES.socat]);
  let clipboard = "";
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: (text: string) => Promise.resolve(void (clipboard = text)) },
  });
  page.querySelector<HTMLButtonElement>("[aria-label='Copy readsb']")!.click();
  assert.equal(clipboard, LINES.readsb);
  type(page, ".feeder-host input", "fd00::5");
  await settled();
  const changed = [...page.querySelectorAll(".feeder-credentials code")].map((one) => one.textContent);
  assert.deepEqual(changed.slice(1), [
    `--net-connector=fd00::5,30004,${UUID}`,
    `adsb,fd00::5,30004,${UUID}`,
    `printf ${UUID} | socat -u - TCP:[fd00::5]:30004`,
  ]);
  press(page, "Done");
  await settled();
  assert.ok(!page.textContent!.includes(UUID));
});

test("where nothing listens, the page says what to do instead of lines", async () => {
  serve({ "GET feeders/": () => list(), "POST feeders/": () => ({ ...ATTIC, uuid: UUID, lines: null }) });
  const page = await open(undefined, "feeders.own");
  press(page, "Register a feeder");
  await settled();
  type(page, "[name=name]", "Attic");
  await submit(page);
  assert.match(page.querySelector(".feeder-credentials .error")!.textContent!, /listen 0\.0\.0\.0:30004/);
});

test("where nothing listens the page says so before anything is registered, with the line for whoever can add it", async () => {
  serve({ "GET feeders/": () => ({ ...list(), listening: false }) });
  const page = await open(undefined, "feeders.own", "system.manage");
  assert.equal(page.querySelector(".feeder-credentials code")!.textContent, "receiver.feeders = listen 0.0.0.0:30004");
  assert.ok(buttons(page).includes("Copy"));
  const other = await open(undefined, "feeders.own");
  assert.match(other.querySelector(".feeder-credentials")!.textContent!, /administrator/);
  assert.ok(other.querySelector(".feeder-credentials code") === null);
});

test("a manager registers a feeder of the managers", async () => {
  const asked = serve({
    "GET feeders/": () => list(),
    "POST feeders/": () => ({ ...ATTIC, uuid: UUID, lines: LINES }),
  });
  const page = await open(undefined, "feeders.own", "feeders.manage");
  press(page, "Register a feeder");
  await settled();
  type(page, "[name=name]", "Club");
  page.querySelector<HTMLInputElement>("[name=managed]")!.checked = true;
  await submit(page);
  const { owner, trusted } = asked.findLast(({ operation }) => operation.startsWith("POST"))!.body as Record<
    string,
    unknown
  >;
  assert.deepEqual([owner, trusted], [null, true]);
});

test("an owner changes, disables, rotates and deletes a feeder; others only look", async () => {
  let feeder: Schemas["FeederEntry"] = { ...ATTIC, notice: { kind: "uuid_copied", at: AT } };
  const asked = serve({
    "GET feeders/": () => list(),
    "GET feeders/{id}/": () => feeder,
    "PATCH feeders/{id}/": ({ body }) => (feeder = { ...feeder, ...(body as object) }),
    "POST feeders/{id}/rotate/": () => ({ ...ATTIC, uuid: UUID, lines: LINES }),
    "DELETE feeders/{id}/": () => null,
  });
  const page = await open("3", "feeders.own");
  assert.match(page.querySelector("[role=alert]")!.textContent!, /Two networks used this feeder/);
  assert.match(page.textContent!, /47\.46°, 8\.55°, 1,500\sft/);
  assert.match(page.textContent!, /others sent, too\s*25\.0 %/);
  press(page, "Disable");
  await settled();
  assert.deepEqual(asked.at(-1)!.body, { enabled: false });
  assert.ok(buttons(page).includes("Enable"));
  press(page, "Edit");
  await settled();
  type(page, "[name=lat]", "");
  type(page, "[name=lon]", "");
  type(page, "[name=altitude_ft]", "");
  page.querySelector<HTMLSelectElement>("[name=place_privacy]")!.value = "none";
  await submit(page);
  const change = { name: "Attic", lat: null, lon: null, altitude_ft: null, place_privacy: "none", mlat: false };
  assert.deepEqual(asked.at(-1)!.body, change);
  press(page, "New UUID and lines");
  await settled();
  assert.ok(page.querySelector(".feeder-credentials")!.textContent!.includes(LINES.readsb));
  press(page, "Delete");
  await settled();
  assert.equal(asked.filter(({ operation }) => operation.startsWith("DELETE")).length, 1);
  // The event of the new address comes when the browser has time.
  while (route.value.item) await settled();
  feeder = { ...ATTIC, owner: { id: 8, username: "bob" } };
  assert.deepEqual(buttons(await open("3", "feeders.own")), []);
});

test("other features show their parts on the page of a feeder", async () => {
  serve({ "GET feeders/": () => list(), "GET feeders/{id}/": () => ATTIC });
  const sources: unknown[] = [];
  class Part extends HTMLElement {
    set source(value: unknown) {
      sources.push(value);
    }
  }
  customElements.define("sw-test-part", Part);
  const hidden = { element: "sw-hidden-part", load: () => Promise.resolve(), isOpen: () => false };
  const receiverParts = [{ element: "sw-test-part", load: () => Promise.resolve() }, hidden];
  FEATURES.push({ name: "test", pages: [], receiverParts });
  const page = await open("3");
  assert.deepEqual(sources[0], { feeder: 3, isCoarse: false });
  assert.equal(page.querySelectorAll("sw-hidden-part").length, 0);
});

import { PAGE, serve, settled, show, submit, type, press } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "../src/core/address";
import type { Schemas } from "../src/session/operations";
import { signIn } from "./people";
import { assertReadAgain } from "./read_again";
import "../src/features/cannonball/known";

const EVIL = "<b>X</b><img src=x onerror=hacked=1>";
const AT = "2026-11-24T06:00:00Z";
const ENTRY: Schemas["KnownEntry"] = {
  id: 3,
  icao_hex: "A12345",
  registration: "N1",
  aircraft_type: "B407",
  aircraft_model: "",
  agency_name: EVIL,
  agency_type: "local",
  agency_state: "",
  agency_city: "",
  source: "manual",
  source_url: "",
  verified: false,
  verified_at: null,
  times_detected: 0,
  last_detected: null,
  notes: `${EVIL} at night`,
  created_at: AT,
  updated_at: AT,
};
const LIST = { ...PAGE, aircraft: [ENTRY], count: 1, verified_count: 0 };

test("texts of others are shown as text", async () => {
  serve({ "GET cannonball/known-aircraft/": () => LIST });
  await signIn("cannonball.view", "cannonball.manage");
  const page = await show("sw-known");
  assert.ok(page.querySelector("table")!.textContent!.includes(EVIL));
  assert.equal(page.querySelector(".notes")!.textContent, ENTRY.notes);
  assert.equal(page.querySelectorAll("td b, td img").length, 0);
});

test("an entry is saved with fields that are empty", async () => {
  const asked = serve({
    "GET cannonball/known-aircraft/": () => LIST,
    "PATCH cannonball/known-aircraft/{id}/": () => ENTRY,
  });
  await signIn("cannonball.view", "cannonball.manage");
  const page = await show("sw-known");
  press(page, "Edit");
  await settled();
  type(page, "input[name=registration]", " N2 ");
  await submit(page);
  const [{ path, body }] = asked.filter(({ operation }) => operation.startsWith("PATCH"));
  assert.deepEqual(path, ["3"]);
  const { registration, agency_city, icao_hex } = body as Record<string, unknown>;
  assert.deepEqual([registration, agency_city, icao_hex], ["N2", "", undefined]);
});

test("a list that cannot be read is not called empty, and is read again", async () => {
  await assertReadAgain("sw-known", "cannonball.view", "GET cannonball/known-aircraft/", LIST, "tbody tr");
});

test("a late answer about an aircraft of the map leaves another form as it is", async () => {
  let answer = (): void => undefined;
  serve({
    "GET cannonball/known-aircraft/": ({ query }) =>
      query.search
        ? (new Promise((resolve) => (answer = () => resolve({ ...LIST, aircraft: [ENTRY] }))) as never)
        : LIST,
  });
  await signIn("cannonball.view", "cannonball.manage");
  route.set({ page: "known", query: { add: "A12345" } });
  const page = await show("sw-known");
  press(page, "Cancel");
  press(page, "Add");
  await settled();
  type(page, "form.editor [name=icao_hex]", "ABCDEF");
  answer();
  await settled();
  assert.equal(page.querySelector<HTMLInputElement>("form.editor [name=icao_hex]")!.value, "ABCDEF");
});

test("an aircraft of the map opens the form filled, and as it is stored where it is on the list", async () => {
  serve({
    "GET cannonball/known-aircraft/": ({ query }) => ({ ...LIST, aircraft: query.search === "A12345" ? [ENTRY] : [] }),
  });
  await signIn("cannonball.view", "cannonball.manage");
  const open = async (hex: string): Promise<(name: string) => string> => {
    route.set({ page: "known", query: { add: hex, registration: "N7", aircraft_type: "H60" } });
    const page = await show("sw-known");
    return (name) => page.querySelector<HTMLInputElement>(`form.editor [name=${name}]`)!.value;
  };
  const fresh = await open("A99999");
  assert.deepEqual(["icao_hex", "registration", "aircraft_type"].map(fresh), ["A99999", "N7", "H60"]);
  const stored = await open("A12345");
  assert.deepEqual(["icao_hex", "registration", "aircraft_type"].map(stored), ["A12345", "N1", "B407"]);
});

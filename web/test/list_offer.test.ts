import { serve, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "./people";
import "../src/features/cannonball/list_offer";

const COUNTS = { total: 0, verified: 0, by_agency_type: {}, by_state: {} };

async function offered(total: number, ...permissions: string[]): Promise<HTMLElement> {
  serve({ "GET cannonball/known-aircraft/stats/": () => ({ ...COUNTS, total }) as never });
  await signIn("cannonball.view", ...permissions);
  return show("sw-list-offer");
}

test("the import is offered to managers while the list of known aircraft is empty", async () => {
  const empty = await offered(0, "cannonball.manage");
  assert.match(empty.textContent!, /list of known aircraft is empty/);
  assert.equal(empty.querySelector("a")!.getAttribute("href"), "console/known-aircraft/import");
  assert.equal((await offered(1, "cannonball.manage")).textContent!.trim(), "");
});

test("others are told that the list is empty, without the way to a page that they may not open", async () => {
  const empty = await offered(0);
  assert.match(empty.textContent!, /list of known aircraft is empty/);
  assert.ok(empty.querySelector("a") === null);
});

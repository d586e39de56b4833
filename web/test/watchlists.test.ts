import { PAGE, press, Refusal, serve, settled, show, submit, type } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "../src/core/address";
import type { Schemas } from "../src/session/operations";
import { signIn } from "./people";
import "../src/features/alerts/watchlists";

const AT = "2026-11-24T06:00:00Z";
const LIST: Schemas["WatchlistRecord"] = {
  id: 1,
  user: 7,
  name: "Rescue",
  entry_count: 2,
  created_at: AT,
  updated_at: AT,
  entries: ["HB-ZRS", "4B1617"],
};

test("a watch list is typed in, and what is refused is named by its number", async () => {
  let stored: Schemas["WatchlistRecord"][] = [];
  const asked = serve({
    "GET alerts/watchlists/": () => ({ ...PAGE, watchlists: stored, count: stored.length }),
    "POST alerts/watchlists/": ({ body }) => {
      const { entries } = body as { entries: string[] };
      const fault = { location: "body", name: "entries.2", detail: "is empty" };
      if (entries.includes("?")) return new Refusal(400, "validation_failed", [fault]);
      stored = [LIST];
      return LIST;
    },
  });
  await signIn("alerts.view", "alerts.create");
  route.set({ page: "alerts", query: { tab: "watchlists", id: "new" } });
  const page = await show("sw-watchlists");
  type(page, "input[name=name]", "Rescue");
  type(page, "textarea", "HB-ZRS\n4B1617\n?");
  await submit(page);
  assert.match(page.querySelector(".field-fault")!.textContent!, /^entry 3:/);
  assert.equal(page.querySelector(".error")!.textContent, "Check the marked fields.");
  type(page, "textarea", "HB-ZRS\n4B1617");
  await submit(page);
  route.set({ page: "alerts", query: { tab: "watchlists" } });
  await settled();
  const { body } = asked.findLast(({ operation }) => operation.startsWith("POST"))!;
  assert.deepEqual(body, { name: "Rescue", entries: ["HB-ZRS", "4B1617"] });
  assert.ok(page.querySelector(".cards")!.textContent!.includes("2 entries"));
});

test("the aircraft of the address is added to the list that is chosen, or begins a new one", async () => {
  const asked = serve({
    "GET alerts/watchlists/": () => ({ ...PAGE, watchlists: [LIST], count: 1 }),
    "POST alerts/watchlists/{id}/import/": () => ({ added: 1, entry_count: 3, refused: [] }) as never,
  });
  await signIn("alerts.view", "alerts.create", "alerts.edit");
  route.set({ page: "alerts", query: { tab: "watchlists", add: "4b1617", as: "HB-JCA" } });
  const page = await show("sw-watchlists");
  assert.equal(page.querySelector("#add-title")!.textContent, "Add HB-JCA to");
  press(page, "Rescue");
  await settled();
  assert.deepEqual(asked.findLast(({ operation }) => operation.startsWith("POST"))!.path, ["1"]);
  assert.ok(page.querySelector("#add-title") === null, "done");
  route.set({ page: "alerts", query: { tab: "watchlists", id: "new", add: "4b1617" } });
  await settled();
  assert.equal(page.querySelector<HTMLTextAreaElement>("textarea")!.value, "4B1617");
});

import { PAGE, press, serve, settled, show, submit } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import type VectorLayer from "ol/layer/Vector";
import { route } from "../src/core/address";
import { live } from "../src/live/live";
import type { Schemas } from "../src/session/operations";
import { signIn } from "./people";
import "../src/features/alerts/rules/rules";

const AT = "2026-11-24T06:00:00Z";
const EVERYTHING = { field: "hex", op: "ne", value: "000000" };
const NOBODY = { field: "squawk", op: "eq", value: "0077" };
const RULE: Schemas["RuleRecord"] = {
  id: 5,
  user: 7,
  username: "ada",
  name: "Nested",
  description: "",
  enabled: true,
  priority: "info",
  conditions: { all: [NOBODY, { any: [{ not: { all: [EVERYTHING, NOBODY] } }, { not: EVERYTHING }] }] },
  for_s: 2,
  cooldown_s: 300,
  count: null,
  starts_at: null,
  expires_at: null,
  quiet_hours: [{ from: "22:00", to: "07:00" }],
  channels: [],
  visibility: "private",
  message: "",
  mqtt: false,
  is_own: true,
  is_subscribed: false,
  fault: null,
  created_at: AT,
  updated_at: AT,
};

function serveRules(rule: Schemas["RuleRecord"]): ReturnType<typeof serve> {
  return serve({
    "GET alerts/rules/": () => ({ ...PAGE, rules: [rule], count: 1 }),
    "GET alerts/geofences/": () => ({ ...PAGE, geofences: [], count: 0 }),
    "GET alerts/watchlists/": () => ({ ...PAGE, watchlists: [], count: 0 }),
    "GET alerts/channels/": () => ({ ...PAGE, channels: [], count: 0 }),
    "PATCH alerts/rules/{id}/": () => rule,
  });
}

async function edit(change: (page: HTMLElement) => void): Promise<Record<string, unknown>> {
  const asked = serveRules(RULE);
  await signIn("alerts.view", "alerts.edit", "alerts.create");
  route.set({ page: "alerts", query: { tab: "rules", id: "5" } });
  const page = await show("sw-alert-rules");
  assert.equal(page.querySelectorAll(".conditions .group").length, 5);
  change(page);
  await settled();
  await submit(page);
  return asked.findLast(({ operation }) => operation.startsWith("PATCH"))!.body as Record<string, unknown>;
}

test("groups of conditions nest and are kept as they are, as are quiet hours without days", async () => {
  const body = await edit(() => undefined);
  assert.deepEqual(body.conditions, RULE.conditions);
  assert.deepEqual(body.quiet_hours, RULE.quiet_hours);
});

test("a new channel is offered to those who may create one", async () => {
  const offers = async (...permissions: string[]): Promise<boolean> => {
    serveRules({ ...RULE, is_own: true });
    await signIn("alerts.view", "alerts.edit", ...permissions);
    route.set({ page: "alerts", query: { tab: "rules", id: "5" } });
    const page = await show("sw-alert-rules");
    return [...page.querySelectorAll("button")].some((one) => one.textContent!.trim() === "New channel");
  };
  assert.equal(await offers("alerts.create"), true);
  assert.equal(await offers(), false);
});

test("a part of the conditions can be taken away, and a group that is left empty goes with it", async () => {
  const body = await edit((page) => {
    page.querySelectorAll<HTMLElement>(".group .group .group.mode-not > .group-head button")[1].click();
  });
  assert.deepEqual(body.conditions, { all: [NOBODY, { any: [{ not: { all: [EVERYTHING, NOBODY] } }] }] });
});

test("a rule about one aircraft is filled with its address and the name that people call it", async () => {
  const asked = serve({
    "GET alerts/rules/": () => ({ ...PAGE, rules: [], count: 0 }),
    "GET alerts/geofences/": () => ({ ...PAGE, geofences: [], count: 0 }),
    "GET alerts/watchlists/": () => ({ ...PAGE, watchlists: [], count: 0 }),
    "GET alerts/channels/": () => ({ ...PAGE, channels: [], count: 0 }),
    "POST alerts/rules/": () => RULE,
  });
  await signIn("alerts.view", "alerts.create");
  route.set({ page: "alerts", query: { tab: "rules", id: "new", about: "4b1617", as: "SWR1" } });
  const page = await show("sw-alert-rules");
  await submit(page);
  const { name, conditions } = asked.findLast(({ operation }) => operation.startsWith("POST"))!.body as typeof RULE;
  assert.equal(name, "SWR1 in range");
  assert.deepEqual(conditions, { all: [{ field: "hex", op: "eq", value: "4B1617" }] });
});

test("a rule that is not in force says why, and is offered with what may be done with it", async () => {
  serveRules({ ...RULE, fault: "nothing is not a known field" });
  route.set({ page: "alerts", query: { tab: "rules" } });
  await signIn("alerts.view");
  const page = await show("sw-alert-rules");
  const text = page.querySelector(".field-fault")!.textContent!;
  assert.ok(text.trim().startsWith("Not in force:") && text.includes("nothing"));
  assert.throws(() => press(page, "Edit"));
  press(page, "Details");
});

test("the distance of a rule is a ring on the map as soon as the station is there, on a form that is open", async () => {
  serveRules(RULE);
  await signIn("alerts.view", "alerts.create");
  route.set({ page: "alerts", query: { tab: "rules", id: "new" } });
  const page = await show("sw-alert-rules");
  const layers: VectorLayer[] = [];
  const addLayer = (layer: VectorLayer): void => void layers.push(layer);
  const map = Object.assign(document.createElement("sw-map"), { addLayer, removeLayer: () => layers.pop() });
  document.body.append(map);
  assert.equal(page.querySelector<HTMLInputElement>(".test input")!.value, "5");
  assert.equal(layers.length, 0);
  live.station.set({ lat: 47.45, lon: 8.56 });
  await settled();
  assert.deepEqual(
    layers.map((layer) => layer.getSource()!.getFeatures().length),
    [2],
  );
  page.remove();
  assert.equal(layers.length, 0);
  map.remove();
  live.station.set(null);
});

import { PAGE, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "../src/core/address";
import { live } from "../src/live/live";
import { signIn } from "./people";
import { assertReadAgain } from "./read_again";
import "../src/features/alerts/geofences/geofences";

const NONE = { ...PAGE, geofences: [], count: 0 };

test("geofences that cannot be read are not called none, and are read again", async () => {
  await assertReadAgain("sw-geofences", "alerts.view", "GET alerts/geofences/", NONE, ".empty:not([role=status])");
});

test("a circle around the station is offered as soon as the station is there, on a form that is open", async () => {
  serve({ "GET alerts/geofences/": () => NONE });
  await signIn("alerts.view", "alerts.create");
  route.set({ page: "alerts", query: { tab: "geofences", id: "new" } });
  const page = await show("sw-geofences");
  const offers = (): boolean => page.textContent!.includes("Circle around the station");
  assert.equal(offers(), false);
  live.station.set({ lat: 47.45, lon: 8.56 });
  await settled();
  assert.equal(offers(), true);
  live.station.set(null);
});

import { PAGE, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "./people";
import "../src/features/overflights/reports";

const REPORT = {
  id: 3,
  name: "Village",
  geofence: 2,
  below_ft: 2500,
  over: "ground",
  every: "week",
  channels: [7],
  next_at: "2026-11-30T23:00:00Z",
  created_at: "2026-11-20T06:30:00Z",
  updated_at: "2026-11-20T06:30:00Z",
};

test("a report is edited as it is, and all of it is sent", async () => {
  const asked = serve({
    "GET reports": () => ({ ...PAGE, reports: [REPORT], count: 1 }) as never,
    "GET alerts/channels/": () => ({ ...PAGE, channels: [{ id: 7, name: "Mail" }], count: 1 }) as never,
    "PATCH reports/{id}": () => REPORT as never,
  });
  await signIn("history.view", "alerts.view");
  const part = await show("sw-overflight-reports", {
    fences: [
      { id: 1, name: "Home" },
      { id: 2, name: "School" },
    ],
  } as never);
  const edit = [...part.querySelectorAll("button")].find((button) => button.textContent === "Edit")!;
  edit.click();
  await settled();
  const form = part.querySelector("form")!;
  form.querySelector<HTMLInputElement>("[name=name]")!.value = "Town";
  form.dispatchEvent(new Event("submit"));
  await settled();
  const change = asked.find(({ operation }) => operation === "PATCH reports/{id}")!;
  assert.deepEqual(change.body, {
    name: "Town",
    geofence: 2,
    below_ft: 2500,
    every: "week",
    over: "ground",
    channels: [7],
  });
  assert.ok(part.querySelector("form") === null);
  part.remove();
});

import { PAGE, nobody, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { signIn } from "./people";
import "../src/features/history/flights";

test("flights that cannot be read are not called none, and are read again", async () => {
  let isAway = true;
  const empty = { ...PAGE, flights: [], count: 0 };
  serve({ "GET history/flights": () => (isAway ? nobody() : empty) });
  await signIn("history.view");
  mock.timers.enable({ apis: ["setTimeout"] });
  const page = await show("sw-history-flights");
  assert.ok(page.querySelector(".error")!.textContent!.length > 20);
  assert.equal(page.querySelector(".empty"), null);
  isAway = false;
  mock.timers.tick(5000);
  await settled();
  mock.timers.reset();
  assert.equal(page.querySelector(".error"), null);
  assert.ok(page.querySelector(".empty:not([role=status])"));
});

import { PAGE, serve, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "./people";
import "../src/features/cannonball/page";

test("around a person who manages Cannonball are only threats of their own", async () => {
  const asked = serve({
    "GET cannonball/sessions/active/": () => ({ ...PAGE, sessions: [], count: 0 }),
    "GET cannonball/alerts/": () => ({ ...PAGE, alerts: [], count: 0 }),
  });
  await signIn("cannonball.view", "cannonball.manage");
  await show("sw-cannonball");
  assert.deepEqual(
    asked.map(({ operation, query }) => [operation, query.user]),
    [
      ["GET cannonball/sessions/active/", "7"],
      ["GET cannonball/alerts/", "7"],
    ],
  );
});

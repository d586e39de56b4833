import { PAGE } from "./dom";
import { test } from "node:test";
import { assertReadAgain } from "./read_again";
import "../src/features/alerts/geofences/geofences";

test("geofences that cannot be read are not called none, and are read again", async () => {
  await assertReadAgain(
    "sw-geofences",
    "alerts.view",
    "GET alerts/geofences/",
    { ...PAGE, geofences: [], count: 0 },
    ".empty:not([role=status])",
  );
});

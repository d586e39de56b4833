import { PAGE } from "./dom";
import { test } from "node:test";
import { assertReadAgain } from "./read_again";
import "../src/features/history/flights";

test("flights that cannot be read are not called none, and are read again", async () => {
  await assertReadAgain(
    "sw-history-flights",
    "history.view",
    "GET history/flights",
    { ...PAGE, flights: [], count: 0 },
    ".empty:not([role=status])",
  );
});

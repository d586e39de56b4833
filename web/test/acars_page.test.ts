import { PAGE } from "./dom";
import { test } from "node:test";
import { assertReadAgain } from "./read_again";
import "../src/features/acars/page";

test("messages that cannot be read are not called none, and are read again", async () => {
  await assertReadAgain(
    "sw-acars",
    "acars.view",
    "GET acars/messages",
    { ...PAGE, messages: [], count: 0 },
    ".empty:not([role=status])",
  );
});

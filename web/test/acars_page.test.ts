import { PAGE, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "../src/core/address";
import { signIn } from "./people";
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

test("acknowledgements are left out unless they are asked for", async () => {
  const asked = serve({ "GET acars/messages": () => ({ ...PAGE, messages: [], count: 0 }) as never });
  await signIn("acars.view");
  const page = await show("sw-acars");
  assert.equal(asked.at(-1)!.query.acknowledgements, "false");
  const box = page.querySelector<HTMLInputElement>("input[type=checkbox]")!;
  box.checked = true;
  box.dispatchEvent(new Event("change", { bubbles: true }));
  await settled();
  assert.equal(asked.at(-1)!.query.acknowledgements, undefined);
  assert.equal(route.value.query.acks, "1");
  route.set({ page: "acars", query: { label: "_d" } });
  await show("sw-acars");
  assert.equal(asked.at(-1)!.query.acknowledgements, undefined, "who asks for the label gets it");
});

// A page whose list cannot be read: it says so, calls nothing empty, and reads again by itself.
import { nobody, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { mock } from "node:test";
import type { Answer, Operation } from "../src/session/operations";
import { signIn } from "./people";

/** `shown` selects what the page shows of the answer once the service is back. */
export async function assertReadAgain<K extends Operation>(
  tag: string,
  permission: string,
  operation: K,
  answer: Answer<K>,
  shown: string,
): Promise<void> {
  let isAway = true;
  serve({ [operation]: () => (isAway ? nobody() : answer) });
  await signIn(permission);
  mock.timers.enable({ apis: ["setTimeout"] });
  const page = await show(tag);
  assert.ok(page.querySelector(".error")!.textContent!.length > 20);
  assert.ok(page.querySelector(".empty") === null);
  isAway = false;
  mock.timers.tick(5000);
  await settled();
  mock.timers.reset();
  assert.ok(page.querySelector(".error") === null);
  assert.ok(page.querySelector(shown));
}

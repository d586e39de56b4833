import assert from "node:assert/strict";
import { test } from "node:test";
import { silentOf, type ReceiverState } from "../src/live/reception";

const one = (name: string, state: string, last_error: string | null): ReceiverState => ({
  name,
  kind: "beast",
  address: "pi:30005",
  state,
  reconnects: 2,
  last_error,
  since: null,
});

test("only receivers that should work, do not, and say why are named", () => {
  const receivers = [
    one("works", "connected", null),
    one("works again", "connected", "connection refused"),
    one("refused", "waiting", "connection refused"),
    one("broken", "failed", "a fault"),
    one("between two plays", "waiting", null),
    one("begins", "starting", null),
    one("is over", "ended", null),
  ];
  assert.deepEqual(
    silentOf(receivers).map(({ name }) => name),
    ["refused", "broken"],
  );
});

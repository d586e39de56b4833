// The host that is asked about where the address of a channel was refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./dom";
import { hostOf } from "../src/features/alerts/channels/networks";

test("the host of an address, without credentials, port and path", () => {
  assert.equal(hostOf("http://192.168.1.20:8123/api/webhook/x"), "192.168.1.20");
  assert.equal(hostOf("ntfy://me:secret@pi.local/topic"), "pi.local");
  assert.equal(hostOf("https://[fd00:1::5]/hook"), "fd00:1::5");
  assert.equal(hostOf("discord://"), null);
  assert.equal(hostOf("kitchen/display"), null);
});

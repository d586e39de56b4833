import { serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "./people";
import "../src/features/system/page";

const STATUS = { aircraft: 13, aircraft_with_position: 12, message_rate: 1, messages: 441, uptime_s: 60 };
const DATABASE = { name: "database", ok: true, detail: "answers" };
const DISK = { name: "disk", ok: false, detail: "2 % left" };

async function checks(...of: unknown[]): Promise<Element> {
  serve({
    "GET system/status": () => ({ ...STATUS, checks: of }) as never,
    "GET system/receivers": () => ({ receivers: [] }) as never,
    "GET system/reception": () => ({ slots: [], slot_s: 300 }) as never,
  });
  await signIn("system.view", "system.manage");
  const page = await show("sw-stats");
  await settled();
  const sections = [...page.querySelectorAll("section")];
  page.remove();
  return sections.find((one) => one.querySelector("h2")!.textContent === "Health")!;
}

test("whoever looks after the service reads what does not work, and comes to all checks in the console", async () => {
  const health = await checks(DATABASE, DISK);
  assert.deepEqual(
    [...health.querySelectorAll("li")].map((one) => one.textContent!.replace(/\s+/g, " ").trim()),
    ["fault disk 2 % left"],
  );
  assert.equal(health.querySelector("a")!.getAttribute("href"), "console/health");
});

test("where all checks are good one line says so", async () => {
  const health = await checks(DATABASE, { ...DISK, ok: true });
  assert.ok(health.querySelector("li") === null);
  assert.match(health.textContent!, /2 checks, all good/);
});

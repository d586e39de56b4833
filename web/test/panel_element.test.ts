import { serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { alerts } from "../src/features/alerts/feature";
import { cannonball } from "../src/features/cannonball/feature";
import { firsts } from "../src/features/firsts/feature";
import { history } from "../src/features/history/feature";
import { live } from "../src/live/live";
import { session } from "../src/session/session";
import "../src/features/firsts/visits";
import "../src/panel/panel";
import { signIn } from "./people";

const HEX = "4b1617";
function answers(more: object = {}): object {
  return { hex: HEX, airframe: null, ages: {}, visits: null, ...more };
}

async function open(details: object, now: object, ...permissions: string[]): Promise<HTMLElement> {
  serve({
    "GET aircraft/{icao_hex}": () => answers(details) as never,
    "GET aircraft/{icao_hex}/trail": () =>
      ({
        hex: HEX,
        first_seen: "",
        count: 5,
        trail: [0, 60, 120, 180, 240].map((after) => ({
          at: new Date((Date.now() / 1000 - 300 + after) * 1000).toISOString(),
          lat: 47,
          lon: 8,
          altitude_ft: 10_000 + after * 10,
          on_ground: false,
          speed_kt: 400,
          track: 90,
        })),
      }) as never,
  });
  await signIn("aircraft.view", ...permissions);
  live.selectedHex.set(null);
  live.selectedHex.set(HEX);
  live.selected.set({ hex: HEX, flags: 0, flight: "SWR1", ...now });
  const features = [alerts, cannonball, history, firsts];
  const panel = await show("sw-panel", {
    parts: features.flatMap(({ name, panelParts = [] }) =>
      panelParts.filter(({ isOpen = () => session.canView(name) }) => isOpen()),
    ),
    actions: features.flatMap(({ panelActions = [] }) => panelActions).filter(({ isOpen }) => isOpen()),
  });
  await settled();
  return panel;
}

const text = (element: Element | null): string => element?.textContent!.replace(/\s+/g, " ").trim() ?? "";
const words = (panel: HTMLElement): string[] => [...panel.querySelectorAll(".panel-actions span")].map(text);

test("figures that are not known are left away, and the designator stands beside the type in words", async () => {
  const panel = await open({}, { t: "A320", alt_baro: 13_000, squawk: null });
  assert.deepEqual([...panel.querySelectorAll(".figures > div > span")].map(text), ["Altitude"]);
  assert.equal(text(panel.querySelector(".panel-head .type")), "Airbus A320");
  assert.ok(text(panel.querySelector(".facts")).includes("A320"));
  const unnamed = await open({}, { t: "ZZZZ" });
  assert.equal(text(unnamed.querySelector(".panel-head .type")), "ZZZZ");
  assert.ok(!text(unnamed.querySelector(".facts")).includes("ZZZZ"), "once");
});

test("the altitude begins with what was recorded of the flight", async () => {
  const panel = await open({}, { alt_baro: 13_000 });
  assert.match(text(panel.querySelector(".profile figcaption")), /^10,000 – 13,000 ft ?last 5 min$/);
  assert.ok(panel.querySelector(".profile path")!.getAttribute("d")!.split("L").length >= 5);
});

test("a replay has no profile: its altitudes are not those of now", async () => {
  live.isReplay.set(true);
  const panel = await open({}, { alt_baro: 35_000 });
  assert.ok(panel.querySelector(".profile") === null);
  live.isReplay.set(false);
  const after = await open({}, { alt_baro: 13_000 });
  assert.match(text(after.querySelector(".profile figcaption")), /^10,000 – 13,000 ft/);
});

test("how often it was here stands in the head, for who may see history", async () => {
  const visits = { first_at: "2025-03-03T12:00:00Z", last_at: "2025-06-10T12:00:00Z", flights: 14 };
  const panel = await open({ visits }, {}, "history.view");
  assert.match(text(panel.querySelector("sw-visits")), /^Seen 14 times since .*March.*2025, last on .*June.*2025$/);
  assert.equal(panel.querySelector("sw-visits a")!.getAttribute("href"), `#/history?icao_hex=${HEX}`);
  const first = await open({ visits: { first_at: visits.first_at, last_at: null, flights: 1 } }, {}, "history.view");
  assert.equal(text(first.querySelector("sw-visits")), "First time here");
});

test("each action is offered to who may, filled with what is known", async () => {
  assert.deepEqual(words(await open({}, {})), ["Follow"]);
  assert.deepEqual(words(await open({}, {}, "alerts.view", "alerts.create")), ["Alert", "Watch list", "Follow"]);
  const all = await open(
    {},
    { r: "HB-JCA", t: "BCS1" },
    "alerts.view",
    "alerts.create",
    "cannonball.view",
    "cannonball.manage",
  );
  assert.deepEqual(words(all), ["Alert", "Watch list", "Known", "Follow"]);
  assert.deepEqual(
    [...all.querySelectorAll(".panel-actions a")].map((one) => one.getAttribute("href")),
    [
      `#/alerts?tab=rules&id=new&about=${HEX}&as=SWR1`,
      `#/alerts?tab=watchlists&add=${HEX}&as=HB-JCA`,
      `#/known?add=${HEX.toUpperCase()}&registration=HB-JCA&aircraft_type=BCS1`,
    ],
  );
});

import { serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, route } from "../src/core/address";
import { wantedView } from "../src/map/lent";
import type { Schemas } from "../src/session/operations";
import { signIn } from "./people";
import "../src/features/history/replay";

const NOW = Date.now();
const MINUTE = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

function points(begin: number, count: number): Schemas["TrackPoint"][] {
  return Array.from({ length: count }, (_, at) => ({
    at: iso(begin + at * MINUTE),
    lat: 47 + at * 0.1,
    lon: 8,
    altitude_ft: 10_000 + at * 1000,
    speed_kt: 400,
    track_deg: 0,
    on_ground: false,
    gap: false,
  }));
}

/** Open the replay of a flight that began so long ago and was heard last so long ago. */
async function open(
  beganMin: number,
  endedMin: number,
  active: boolean,
): Promise<[HTMLElement, Record<string, string>]> {
  const begin = NOW - beganMin * MINUTE;
  const asked = serve({
    "GET history/flights/{flight_id}/track": () =>
      ({
        flight: { id: 7, active, first_seen_at: iso(begin), last_seen_at: iso(NOW - endedMin * MINUTE) },
        points: points(begin, 10),
        count: 10,
      }) as never,
    "GET history/timeline": ({ query }) =>
      ({ from: query.from, to: query.to, step_s: 10, first_at: query.from, aircraft: [1, 2, 3] }) as never,
    "GET history/replay": ({ query }) => {
      const from = Date.parse(query.from as string) / 1000;
      const moments = [0, 10, 20, 30].map((after) => JSON.stringify({ now: from + after, aircraft: [], count: 0 }));
      return new Response(moments.join("\n")) as never;
    },
  });
  await signIn("history.view", "aircraft.view");
  route.set(parse(`#/history?tab=replay&begin=${iso(begin)}&minutes=60&flight=7&hex=4b1617`));
  const page = await show("sw-history-replay");
  await settled();
  return [page, asked.find(({ operation }) => operation === "GET history/timeline")!.query];
}

test("a replay of a flight in the air ends at now, and takes a minute", async () => {
  const [page, { from, to }] = await open(22, 0.2, true);
  assert.ok(Math.abs(Date.parse(to) - Date.now()) < 5000, to);
  assert.ok(Math.abs(Date.parse(from) - (NOW - 22 * MINUTE)) < 1000);
  assert.ok(page.querySelector(".player select")!.textContent!.includes("22×"), "the speed that takes a minute");
  assert.ok(page.querySelector(".replay-profile path")!.getAttribute("d")!.split("L").length >= 10);
  page.remove();
});

test("the arrow keys and the buttons beside play go picture by picture", async () => {
  const [page] = await open(22, 0.2, true);
  const time = (): string => page.querySelector("output")!.textContent!;
  const press = async (key: string): Promise<string> => {
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await settled();
    return time();
  };
  await press(" ");
  const first = time();
  const second = await press("ArrowRight");
  assert.notEqual(second, first);
  assert.equal(await press("ArrowLeft"), first);
  assert.equal(await press("ArrowLeft"), first, "not before the first");
  page.querySelector<HTMLElement>("[aria-label='One picture on']")!.click();
  await settled();
  assert.equal(time(), second);
  page.remove();
});

test("a late answer about another replay is not taken", async () => {
  const ago = (min: number): string => iso(NOW - min * MINUTE);
  const held: (() => void)[] = [];
  serve({
    "GET history/tracks/{icao_hex}": ({ path: [hex] }) =>
      new Promise((resolve) => {
        const answer = (): void => resolve({ points: points(NOW - 60 * MINUTE, hex === "4b1617" ? 3 : 10) });
        if (hex === "4b1617") held.push(answer);
        else answer();
      }) as never,
    "GET history/timeline": ({ query }) =>
      ({ from: query.from, to: query.to, step_s: 10, first_at: query.from, aircraft: [1, 2, 3] }) as never,
    "GET history/replay": ({ query }) => {
      const from = Date.parse(query.from as string) / 1000;
      const moments = [0, 10].map((after) => JSON.stringify({ now: from + after, aircraft: [], count: 0 }));
      return new Response(moments.join("\n")) as never;
    },
  });
  await signIn("history.view", "aircraft.view");
  route.set(parse(`#/history?tab=replay&begin=${ago(120)}&minutes=60&hex=4b1617`));
  const page = await show("sw-history-replay");
  route.set(parse(`#/history?tab=replay&begin=${ago(60)}&minutes=60&hex=3c6444`));
  await settled();
  const shown = wantedView.value;
  assert.equal(shown!.length, 10);
  held.forEach((answer) => answer());
  await settled();
  assert.equal(wantedView.value, shown);
  page.remove();
});

test("a replay of a flight that is over ends with it", async () => {
  const [page, { to }] = await open(50, 30, false);
  assert.ok(Math.abs(Date.parse(to) - (NOW - 30 * MINUTE)) < 1000, to);
  page.remove();
});

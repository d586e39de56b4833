import { serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, route } from "../src/core/address";
import { signIn } from "./people";
import "../src/features/airports/page";

const airport = (ident: string, name: string): object => ({ ident, name, iata: null, town: null, country: null });
const movement = (kind: string): object => ({
  kind,
  icao_hex: "4B1617",
  callsign: "SWR1",
  type: "A320",
  runway: "16",
  at: "2026-11-24T06:00:00Z",
  flight_id: null,
  from_or_to: "LSGG",
});
const board = (ident: string): object => ({
  airport: airport(ident, `Airport ${ident}`),
  covered: true,
  runways_in_use: [],
  expected: [],
  movements: [movement("take_off"), movement("touch_and_go")],
});

test("the board of another airport goes at once, and a late one does not come back", async () => {
  const held: (() => void)[] = [];
  serve({
    "GET airports/{ident}/board": ({ path: [ident] }) =>
      ident === "LSZH"
        ? (board(ident) as never)
        : (new Promise((done) => held.push(() => done(board(ident)))) as never),
  });
  await signIn("airports.view");
  route.set(parse("#/airports/LSZH"));
  const page = await show("sw-airports");
  assert.ok(page.textContent!.includes("Airport LSZH"));
  route.set(parse("#/airports/EDDF"));
  await settled();
  assert.equal(page.querySelector("h1")!.textContent, "EDDF");
  assert.ok(page.querySelector("table") === null);
  route.set(parse("#/airports/LSZH"));
  held.forEach((answer) => answer());
  await settled();
  assert.ok(page.querySelector("h1")!.textContent!.includes("Airport LSZH"));
  page.remove();
});

test("a late answer to another search is not taken", async () => {
  const held: (() => void)[] = [];
  serve({
    "GET airports": ({ query }) => {
      const answer = { airports: [airport("LSZH", `Found by ${String(query.q)}`)] };
      return (query.q === "a" ? new Promise((done) => held.push(() => done(answer))) : answer) as never;
    },
  });
  await signIn("airports.view");
  route.set(parse("#/airports?q=a"));
  const page = await show("sw-airports");
  route.set(parse("#/airports?q=b"));
  await settled();
  held.forEach((answer) => answer());
  await settled();
  assert.ok(page.querySelector(".airport-list")!.textContent!.includes("Found by b"));
  page.remove();
});

test("where a touch-and-go goes on to is not known", async () => {
  serve({ "GET airports/{ident}/board": () => board("LSZH") as never });
  await signIn("airports.view");
  const cells = async (direction: string): Promise<string[]> => {
    route.set(parse(`#/airports/LSZH?direction=${direction}`));
    const page = await show("sw-airports");
    return [...page.querySelectorAll("tbody tr td:nth-child(4)")].map((cell) => cell.textContent!.trim());
  };
  assert.deepEqual(await cells("departures"), ["LSGG", ""]);
  assert.deepEqual(await cells("arrivals"), ["LSGG", "LSGG"]);
});

import { serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, route } from "../src/core/address";
import { signIn } from "./people";
import "../src/features/firsts/journal";
import "../src/features/firsts/records";
import "../src/features/firsts/worth";

const text = (element: Element | null): string => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const first = (kind: string, key: string, more: object = {}): object => ({
  kind,
  key,
  name: null,
  at: "2026-11-20T06:30:00Z",
  icao_hex: "4B1601",
  callsign: "SWR1",
  flight_id: 7,
  ...more,
});
const journal = (day: string, more: object = {}): object => ({
  day,
  timezone: "Europe/Zurich",
  flights: 1200,
  airframes: 800,
  new: [],
  military_share: null,
  first: "2026-11-20T04:00:00Z",
  last: "2026-11-20T22:00:00Z",
  records: [],
  ...more,
});

test("the journal shows what was new, the rare before the many, in the station's time", async () => {
  const fresh = [first("airframe", "4B1601", { name: "HB-JJA" }), first("country", "FJ"), first("type", "A388")];
  serve({
    "GET journal": () => journal("2026-11-20", { new: fresh, records: ["farthest"], military_share: 0.05 }) as never,
  });
  await signIn("history.view");
  route.set(parse("#/journal?day=2026-11-20"));
  const page = await show("sw-journal");
  assert.deepEqual(
    [...page.querySelectorAll("section h2")].map((heading) => text(heading)),
    ["Records set", "New types", "New countries", "New aircraft"],
  );
  assert.equal(text(page.querySelector("time")), "07:30");
  assert.match(text(page), /Fiji/);
  assert.match(text(page.querySelector("dl")), /Military5(\.0)? %/);
  assert.match(page.querySelector<HTMLAnchorElement>(".first-list a")!.href, /#\/history\?flight=7&icao_hex=4B1601$/);
  page.remove();
});

test("the day before and the day after are asked for, and a late answer is not taken", async () => {
  const held: (() => void)[] = [];
  serve({
    "GET journal": ({ query }) =>
      query.day === "2026-11-19"
        ? (new Promise((done) => held.push(() => done(journal("2026-11-19", { flights: 19 })))) as never)
        : (journal(query.day ?? "2026-11-21") as never),
  });
  await signIn("history.view");
  route.set(parse("#/journal?day=2026-11-20"));
  const page = await show("sw-journal");
  const [before, after] = page.querySelectorAll<HTMLButtonElement>(".journal-bar button");
  before.click();
  await settled();
  assert.equal(route.value.query.day, "2026-11-19");
  route.set(parse("#/journal?day=2026-11-20"));
  await settled();
  held.forEach((answer) => answer());
  await settled();
  assert.match(text(page.querySelector("dl")), /1,200/);
  after.click();
  await settled();
  assert.equal(route.value.query.day, "2026-11-21");
  page.remove();
});

test("records have their value in the reader's units, who set them and when", async () => {
  const record = { at: "2026-11-20T06:30:00Z", icao_hex: "4B1601", callsign: "SWR1", type: "A320", receiver: "roof" };
  serve({
    "GET records": () =>
      ({
        farthest: { ...record, value: 213.46, unit: "nm", source: "adsb_icao" },
        highest: { ...record, value: 43_000, unit: "ft", source: null },
        fastest: null,
        slowest_airborne: null,
        longest_flight: { ...record, value: 5_460, unit: "s", source: null },
        busiest_day: { value: 12_034, at: "2026-11-19T23:00:00Z" },
        busiest_hour: null,
        rarest_types: [{ type: "A388", airframes: 1, flights: 2, last_at: "2026-11-20T06:30:00Z" }],
        timezone: "Pacific/Auckland",
      }) as never,
  });
  await signIn("history.view");
  route.set(parse("#/records"));
  const page = await show("sw-records");
  const cards = [...page.querySelectorAll(".record-card")].map((card) => text(card));
  assert.equal(cards.length, 4);
  assert.match(cards[0], /^Farthest213\.5 nm SWR1 A320 .*roof, adsb icao$/);
  assert.match(cards[1], /^Highest43,000 ft/);
  assert.match(cards[2], /^Longest flight1\sh 31\smin/);
  assert.match(cards[3], /^Busiest day12,034 flights (November 20|20 November)/, "by the station's time");
  assert.match(text(page.querySelector("tbody")), /A388\s*1\s*2/);
  page.remove();
});

test("what is worth a look selects its aircraft, and nothing is shown where nothing is", async () => {
  let aircraft = [
    { icao_hex: "4B1601", callsign: "SWR1", type: "A320", reasons: ["emergency"], days: 1 },
    { icao_hex: "4B1602", callsign: null, type: "A388", reasons: ["first_type", "first_airframe"], days: null },
    { icao_hex: "4B1603", callsign: "SWR3", type: "A320", reasons: ["not_seen_days"], days: 45.7 },
  ];
  serve({ "GET worth-a-look": () => ({ aircraft, count: aircraft.length, next: null, previous: null }) as never });
  await signIn("history.view", "aircraft.view");
  route.set(parse("#/"));
  const top = await show("sw-worth-a-look");
  const chips = [...top.querySelectorAll("button")];
  assert.deepEqual(
    chips.map((chip) => text(chip)),
    ["SWR1 emergency", "4B1602 first A388", "SWR3 after 45 days"],
  );
  assert.equal(chips[1].title, "first A388, first time here");
  chips[1].click();
  await settled();
  assert.match(location.hash, /4b1602/);
  top.remove();
  aircraft = [];
  const empty = await show("sw-worth-a-look");
  assert.equal(text(empty), "");
  empty.remove();
});

test("a day in the address that is none is today, and what is cut says that there is more", async () => {
  const asked: (string | undefined)[] = [];
  const many = Array.from({ length: 1000 }, (_, number) => first("airframe", String(number)));
  serve({
    "GET journal": ({ query }) => {
      asked.push(query.day ?? undefined);
      return journal("2026-11-20", { new: many }) as never;
    },
  });
  await signIn("history.view");
  route.set(parse("#/journal?day=abc"));
  const page = await show("sw-journal");
  page.querySelector<HTMLButtonElement>(".journal-bar button")!.click();
  await settled();
  assert.deepEqual([asked[0], route.value.query.day], [undefined, "2026-11-19"]);
  assert.match(text(page.querySelector("dl")), /1,000\+/);
  page.remove();
});

import { PAGE, Refusal, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { route } from "../src/core/address";
import { coverage } from "../src/features/reception/covered";
import "../src/features/reception/heard_by";
import "../src/features/reception/page";
import { gathered, spansOf, type Point, type Quality } from "../src/features/reception/series";
import type { Schemas } from "../src/session/operations";
import { signIn } from "./people";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SHARES = { duplicates_share: 0.25, disputes_share: 0.002 };
const NOW = Date.parse("2026-11-24T12:00:00Z");

function point(at: number, more: Partial<Point> = {}): Point {
  const values = { messages_s: 10, positions_s: 2, aircraft: 4, max_range_nm: 100, strong_share: 0.01, ...SHARES };
  return { at: new Date(at).toISOString(), ...values, ...more };
}

function qualityOf(series: Point[]): Quality {
  return {
    range: Array.from({ length: 36 }, (_, sector) => ({
      bearing: sector * 10,
      now_nm: sector === 9 ? 80 : null,
      p50_30d_nm: sector === 9 ? 120.5 : null,
      max_30d_nm: sector === 9 ? 150 : null,
    })),
    signal: {
      histogram: Array.from({ length: 50 }, (_, bin) => ({ dbfs: bin - 50, count: bin === 49 ? 12 : 1 })),
      strong_share: 0.2,
      weak_share: 0.05,
    },
    series,
    connections: [],
  };
}

const RECEIVER = {
  name: "roof",
  kind: "beast",
  address: "10.0.0.2:30005",
  state: "retrying",
  message_rate: 12.3,
  position_rate: 3,
  messages: 100,
  positions: 20,
  last_message_at: "2026-11-24T11:59:00Z",
  reconnects: 3,
  last_error: "connection refused",
  last_error_at: null,
  since: "2026-11-24T10:00:00Z",
  invalid: {},
} as Schemas["ReceiverState"];

function rows(element: Element, of: string): string[][] {
  return [...element.querySelectorAll(`table[data-of="${of}"] tbody tr`)].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent!.replaceAll("\u00a0", " ")),
  );
}

test("a day has its minutes, and thirty days have means of hours with the greatest range", () => {
  const older = point(NOW - 48 * HOUR, { messages_s: 99 });
  const minutes = [0, 1, 2].map((minute) =>
    point(NOW - HOUR + minute * MINUTE, { messages_s: minute, max_range_nm: 100 + minute, strong_share: null }),
  );
  const { day, month } = spansOf([older, ...minutes], NOW);
  assert.equal(day.samples.length, 3);
  assert.deepEqual(
    month.samples.map(({ at, values }) => [(NOW - at) / HOUR, values.messages_s, values.max_range_nm]),
    [
      [48, 99, 100],
      [1, 1, 102],
    ],
  );
  assert.equal(gathered(month.samples, HOUR)[1].values.strong_share, null);
});

test("the charts of a receiver have the numbers of the service, and its connection is shown", async () => {
  const now = Date.now();
  const series = [point(now - 40 * HOUR, { max_range_nm: 177 }), point(now - 2 * MINUTE, { messages_s: 1234 })];
  const asked = serve({
    "GET system/receivers": () => ({ ...PAGE, receivers: [RECEIVER], count: 1 }),
    "GET system/receivers/{name}/quality": () => qualityOf(series),
  });
  await signIn("system.view_status");
  route.set({ page: "reception", query: {} });
  const page = await show("sw-reception");
  await settled();
  assert.deepEqual(asked.find(({ operation }) => operation.endsWith("quality"))!.path, ["roof"]);
  assert.match(page.querySelector(".reception-facts")!.textContent!, /connection refused/);
  assert.deepEqual(rows(page, "range")[9], ["90°", "150 nm", "121 nm", "80 nm"]);
  assert.deepEqual(rows(page, "range")[8], ["80°", "–", "–", "–"]);
  assert.equal(rows(page, "quality.day").at(-1)![1], "1,234");
  assert.equal(rows(page, "quality.month")[0][4], "177");
  assert.equal(page.querySelector("[data-share=strong]")!.textContent, "20.0 %");
  assert.match(page.textContent!, /try less gain/);
  const drawn = page.querySelector<HTMLElement>("[data-figure=messages_s]")!.dataset;
  assert.deepEqual([drawn.points, drawn.newest], ["1", "1234"]);
});

test("a port that feeders connect to has no charts and leads to the feeders", async () => {
  const port = { ...RECEIVER, name: "in", kind: "listen", state: "listening", last_error: null };
  const asked = serve({ "GET system/receivers": () => ({ ...PAGE, receivers: [port], count: 1 }) });
  await signIn("system.view_status");
  route.set({ page: "reception", query: {} });
  const page = await show("sw-reception");
  await settled();
  assert.match(page.textContent!, /a port that feeders connect to/);
  assert.ok(page.querySelector("sw-reception-charts") === null);
  assert.ok(page.querySelector(".reception-listener a") === null);
  assert.ok(asked.every(({ operation }) => operation === "GET system/receivers"));
  serve({
    "GET system/receivers": () => ({ ...PAGE, receivers: [port, RECEIVER], count: 2 }),
    "GET system/receivers/{name}/quality": () => qualityOf([]),
    "GET feeders/": () => ({ ...PAGE, feeders: [], listening: true, count: 0 }),
  });
  await signIn("system.view_status", "feeders.view");
  const measured = await show("sw-reception");
  await settled();
  assert.match(measured.querySelector(".reception-title")!.textContent!, /roof/);
  route.set({ page: "reception", item: "in", query: {} });
  await settled();
  assert.equal(measured.querySelector(".reception-listener a")!.getAttribute("href"), "#/feeders");
});

test("of a feeder whose place is coarse there are cells alone, and its quality is not asked for", async () => {
  const cells = [true, false, false].map((now, at) => ({ lat: 47 + at / 2, lon: 8.5, now }));
  const asked = serve({ "GET feeders/{id}/coverage": () => ({ cell_deg: 0.5, cells }) });
  await signIn("feeders.view");
  const charts = await show("sw-reception-charts", { source: { feeder: 7, isCoarse: true } });
  assert.match(charts.textContent!, /not public/);
  assert.match(charts.querySelector("[data-cells='3']")!.textContent!, /3 cells in 30 days, 1 in the last hour/);
  assert.deepEqual(coverage.value, { source: { feeder: 7, isCoarse: true }, grid: { cell_deg: 0.5, cells } });
  assert.deepEqual([...new Set(asked.map(({ operation }) => operation))], ["GET feeders/{id}/coverage"]);
});

test("the history of connections has the open one without an end and unfolds the older ones", async () => {
  const now = Date.now();
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  const ended = Array.from({ length: 9 }, (_, at) => ({ since: ago((at + 3) * HOUR), until: ago((at + 2.5) * HOUR) }));
  const connections = [{ since: ago(95 * MINUTE), until: null }, ...ended];
  serve({ "GET feeders/{id}/quality": () => ({ ...qualityOf([point(now - MINUTE)]), connections }) });
  await signIn("feeders.view");
  const charts = await show("sw-reception-charts", { source: { feeder: 9, isCoarse: false } });
  const shown = rows(charts, "connections");
  assert.deepEqual([shown.length, shown[0].slice(1), shown[1][2]], [10, ["Open", "1 h 35 min"], "30 min"]);
  assert.match([...charts.querySelectorAll("summary")].at(-1)!.textContent!, /2 older/);
  assert.equal(charts.querySelectorAll(".reception-strip .open").length, 10);
  assert.match(charts.querySelector("[data-newest=duplicates_share]")!.textContent!, /25.0\s%/);
});

test("a feeder whose quality is refused says so, and one that was never heard has no charts", async () => {
  let answer: Quality | Refusal = new Refusal(403, "permission_denied");
  serve({ "GET feeders/{id}/quality": () => answer });
  await signIn("feeders.view");
  const charts = await show("sw-reception-charts", { source: { feeder: 7, isCoarse: false } });
  assert.ok(charts.querySelector(".error"));
  answer = qualityOf([]);
  const silent = await show("sw-reception-charts", { source: { feeder: 8, isCoarse: false } });
  assert.ok(silent.querySelector("svg") === null);
  assert.match(silent.textContent!, /Nothing has been measured yet/);
});

test("who hears an aircraft is named with the signal, the others are counted", async () => {
  const heard_by = [
    { name: "Attic", kind: "feeder", rssi: -12.5, last_at: "2026-11-24T12:00:00Z" },
    { name: "roof", kind: "receiver", rssi: null, last_at: "2026-11-24T11:59:59Z" },
    { count: 3 },
  ];
  const asked = serve({
    "GET aircraft/{icao_hex}": () => ({ heard_by }) as Schemas["AircraftDetail"],
  });
  await signIn("system.view_status");
  const part = await show("sw-heard-by", { hex: "4b1620" });
  const lines = [...part.querySelectorAll("li")].map((one) => one.textContent!.replace(/\s+/g, " ").trim());
  assert.match(lines[0], /^Attic -12.5 dBFS/);
  assert.match(lines[1], /^roof –/);
  assert.equal(lines[2], "3 others");
  await signIn("aircraft.view");
  asked.length = 0;
  assert.equal((await show("sw-heard-by", { hex: "4b1621" })).textContent!.trim(), "");
  assert.equal(asked.length, 0);
});

import { PAGE, press, serve, settled, show } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { signIn } from "./people";
import { assertReadAgain } from "./read_again";
import "../src/features/history/flights";

test("flights that cannot be read are not called none, and are read again", async () => {
  await assertReadAgain(
    "sw-history-flights",
    "history.view",
    "GET history/flights",
    { ...PAGE, flights: [], count: 0 },
    ".empty:not([role=status])",
  );
});

test("of two searches the newest one is shown, whichever is answered last", async () => {
  const flight = (callsign: string): object => ({
    id: callsign.length,
    icao_hex: "4b1620",
    callsign,
    first_seen_at: "2026-11-22T10:00:00Z",
    last_seen_at: "2026-11-22T11:00:00Z",
    duration_s: 3600,
  });
  const answers: ((flights: object[]) => void)[] = [];
  const answer = (): Promise<object> =>
    new Promise((resolve) => answers.push((flights) => resolve({ ...PAGE, flights, count: flights.length })));
  serve({ "GET history/flights": answer as never });
  await signIn("history.view");
  const page = await show("sw-history-flights");
  press(page, "Yesterday");
  await settled();
  const [ofAllDays, ofYesterday] = answers;
  const callsigns = (): string[] => [...page.querySelectorAll(".card-button b")].map((one) => one.textContent!);
  ofYesterday([flight("SWR22")]);
  await settled();
  ofAllDays([flight("SWR22"), flight("EZY333")]);
  await settled();
  assert.deepEqual(callsigns(), ["SWR22"]);
  press(page, "Today");
  press(page, "Any day");
  await settled();
  answers[2]([]);
  await settled();
  assert.match(page.querySelector("[role=status]")!.textContent!, /Loading/, "the newest answer is still on its way");
  answers[3]([flight("EZY333")]);
  await settled();
  assert.deepEqual(callsigns(), ["EZY333"]);
});

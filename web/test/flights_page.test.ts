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

const flight = (callsign: string): object => ({
  id: callsign.length,
  icao_hex: "4b1620",
  callsign,
  first_seen_at: "2026-11-22T10:00:00Z",
  last_seen_at: "2026-11-22T11:00:00Z",
  duration_s: 3600,
});

/** The page with requests that are answered by hand, in any order, by callsigns or a fault. */
async function begin(): Promise<{
  page: HTMLElement;
  answer: (number: number, callsigns: string[] | Error) => Promise<void>;
  callsigns: () => string[];
}> {
  const answers: ((callsigns: string[] | Error) => void)[] = [];
  const reply = (): Promise<object> =>
    new Promise((resolve, reject) =>
      answers.push((callsigns) =>
        callsigns instanceof Error
          ? reject(callsigns)
          : resolve({ ...PAGE, next: "/api/v1/history/flights?cursor=1", flights: callsigns.map(flight), count: 9 }),
      ),
    );
  serve({ "GET history/flights": reply as never });
  await signIn("history.view");
  const page = await show("sw-history-flights");
  const answer = async (number: number, callsigns: string[] | Error): Promise<void> => {
    answers[number](callsigns);
    await settled();
  };
  const callsigns = (): string[] => [...page.querySelectorAll(".card-button b")].map((one) => one.textContent!);
  return { page, answer, callsigns };
}

test("of two searches the newest one is shown, whichever is answered last", async () => {
  const { page, answer, callsigns } = await begin();
  press(page, "Yesterday");
  await settled();
  await answer(1, ["SWR22"]);
  assert.equal(
    page.querySelector("[role=status]")!.textContent!.includes("Loading"),
    false,
    "nobody waits for the older",
  );
  await answer(0, ["SWR22", "EZY333"]);
  assert.deepEqual(callsigns(), ["SWR22"]);
  press(page, "Today");
  press(page, "Any day");
  await settled();
  await answer(2, []);
  assert.match(page.querySelector("[role=status]")!.textContent!, /Loading/, "the newest answer is still on its way");
  await answer(3, ["EZY333"]);
  assert.deepEqual(callsigns(), ["EZY333"]);
});

test("an older search neither puts a fault above a newer one nor takes its fault away", async () => {
  const { page, answer, callsigns } = await begin();
  press(page, "Yesterday");
  await settled();
  await answer(1, ["SWR22"]);
  await answer(0, new TypeError("nobody answers"));
  assert.deepEqual(callsigns(), ["SWR22"]);
  assert.equal(page.querySelector(".error") === null, true);
  press(page, "Today");
  press(page, "Any day");
  await settled();
  await answer(3, new TypeError("nobody answers"));
  await answer(2, ["EZY333"]);
  assert.deepEqual(callsigns(), ["SWR22"]);
  assert.ok(page.querySelector(".error")!.textContent!.length > 20);
});

test("a next page is added to its own list alone, and once", async () => {
  const { page, answer, callsigns } = await begin();
  await answer(0, ["SWR1"]);
  press(page, "Yesterday");
  press(page, "Show more");
  await settled();
  await answer(2, ["SWR22"]);
  await answer(1, ["EZY333"]);
  assert.deepEqual(callsigns(), ["EZY333"], "the search counts that was answered after the next page");
  press(page, "Show more");
  press(page, "Today");
  await settled();
  await answer(4, ["DLH55555"]);
  await answer(3, ["EZY4444"]);
  assert.deepEqual(callsigns(), ["DLH55555"], "the next page of the list before is not added");
  press(page, "Show more");
  press(page, "Show more");
  await settled();
  await answer(5, ["SWR1"]);
  await answer(6, ["SWR1"]);
  assert.deepEqual(callsigns(), ["DLH55555", "SWR1"]);
});

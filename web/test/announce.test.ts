import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { announcement, dismiss, inform, notice, seen, SHOWN_MS, publishNews, type Kind } from "../src/ui/announce";

mock.timers.enable({ apis: ["setTimeout"] });
const alerts: Kind = { name: "alerts", href: "#/alerts", sum: (n) => `${n} new alerts` };
const safety: Kind = { name: "safety", href: "#/safety", sum: (n) => `${n} new events` };
const said: string[] = [];
announcement.subscribe((text) => said.push(text));

beforeEach(() => {
  mock.timers.tick(10 * SHOWN_MS);
  said.length = 0;
});

test("several news of a kind become one, which leads to their list", () => {
  assert.equal(publishNews(alerts, "Critical: low"), true);
  assert.deepEqual(notice.value, { kind: "news", text: "Critical: low", href: "#/alerts" });
  for (let n = 0; n < 6; n += 1) assert.equal(publishNews(alerts, "Info: more"), false, "a tone sounds once");
  assert.deepEqual(notice.value, { kind: "news", text: "7 new alerts", href: "#/alerts" });
  mock.timers.tick(SHOWN_MS);
  assert.equal(notice.value, null);
});

test("each is said to screen readers once: the first, and what followed as one sum", () => {
  publishNews(alerts, "Critical: low");
  assert.deepEqual(said, ["Critical: low"]);
  publishNews(alerts, "a");
  publishNews(alerts, "b");
  mock.timers.tick(SHOWN_MS / 2);
  publishNews(alerts, "c");
  mock.timers.tick(10 * SHOWN_MS);
  assert.deepEqual(said, ["Critical: low", "2 new alerts", "1 new alerts"]);
});

test("what the person did is answered first, and the news are shown again after it", () => {
  publishNews(alerts, "Critical: low");
  mock.timers.tick(1000);
  inform("Saved.");
  assert.equal(notice.value?.text, "Saved.");
  publishNews(alerts, "a");
  assert.equal(notice.value?.text, "Saved.");
  dismiss();
  assert.equal(notice.value?.text, "2 new alerts");
  dismiss();
  assert.equal(notice.value, null);
});

test("of two kinds the newest is shown, then the other", () => {
  publishNews(alerts, "Critical: low");
  publishNews(safety, "Emergency: 7700");
  assert.equal(notice.value?.text, "Emergency: 7700");
  dismiss();
  assert.equal(notice.value?.text, "Critical: low");
});

test("news of the page that is open are said and not shown, and what was shown goes with its page opened", () => {
  publishNews(alerts, "Critical: low", true);
  assert.equal(notice.value, null);
  assert.deepEqual(said, ["Critical: low"]);
  publishNews(safety, "Emergency: 7700");
  seen("safety");
  assert.equal(notice.value, null);
});

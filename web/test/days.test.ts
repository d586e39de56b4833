import "./dom";
import { serve } from "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { useLanguage } from "../src/i18n/i18n";
import { dayName, daysAgo, lastDay, sinceDay, span } from "../src/ui/days";
import { clock } from "../src/ui/units";

const NOW = new Date(2026, 10, 29, 9, 0);
const at = (...parts: [number, number, number, number?, number?]): string => new Date(...parts).toISOString();

test("days are counted by midnights of this place", async () => {
  serve({});
  await useLanguage("en");
  assert.equal(daysAgo(at(2026, 10, 28, 23, 59), NOW), 1);
  assert.equal(daysAgo(at(2026, 10, 29, 0, 1), NOW), 0);
  assert.equal(daysAgo(at(2026, 2, 3), NOW), 271);
});

test("near days are named, a day of this week by its weekday, others by their date", () => {
  assert.equal(sinceDay(at(2026, 10, 28), NOW), "yesterday");
  assert.match(sinceDay(at(2026, 2, 3), NOW), /^(3 March|March 3)$/);
  assert.match(sinceDay(at(2025, 2, 3), NOW), /2025/);
  assert.equal(lastDay(at(2026, 10, 24), NOW), "on Tuesday");
  assert.match(lastDay(at(2026, 10, 22), NOW), /^on (22 November|November 22)$/);
});

test("a span says its day once, and 24 hours a day", () => {
  assert.equal(span(at(2026, 10, 29, 0, 29), at(2026, 10, 29, 3, 31), NOW), "today 00:29 to 03:31");
  assert.equal(span(at(2026, 10, 28, 23, 50), at(2026, 10, 29, 0, 10), NOW), "yesterday 23:50 to today 00:10");
  assert.match(dayName(at(2026, 10, 3), NOW), /^(3 Nov|Nov 3)$/);
});

test("a moment has its day as people say it, and hours from 00 to 23", async () => {
  serve({});
  await useLanguage("en");
  const now = new Date();
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 0, 5, 7);
  assert.equal(clock(midnight.toISOString(), true), "today 00:05:07");
  assert.equal(clock(midnight.getTime()), "00:05:07");
  assert.match(clock(at(2024, 10, 28, 17, 31), true), /^(28 Nov 2024|Nov 28, 2024) 17:31:00$/);
  await useLanguage("de");
  assert.equal(clock(midnight.toISOString(), true), "heute 00:05:07");
  await useLanguage("es");
  assert.equal(clock(midnight.getTime() + 9 * 3_600_000), "09:05:07");
  await useLanguage("en");
});

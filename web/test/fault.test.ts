import assert from "node:assert/strict";
import { test } from "node:test";
import type { Language } from "../src/i18n/i18n";
import catalogue from "../src/i18n/texts.json";

Object.assign(globalThis, { document: { baseURI: "http://skywatch.test/", documentElement: {} } });
const { useLanguage } = await import("../src/i18n/i18n");
const { ApiError } = await import("../src/session/api");
const { faultText } = await import("../src/session/fault");

async function speak(language: Language): Promise<void> {
  const at = ["en", "de", "fr", "es"].indexOf(language);
  const texts = Object.fromEntries(Object.entries(catalogue).map(([key, forms]) => [key, forms[at]]));
  globalThis.fetch = () => Promise.resolve(Response.json(texts));
  await useLanguage(language);
}

test("an answer of the service is shown in the reader's language, by its code", async () => {
  const wrong = new ApiError(401, "invalid_credentials", "Wrong username or password.");
  await speak("de");
  assert.equal(faultText(wrong), "Name oder Passwort stimmt nicht.");
  assert.equal(faultText(new ApiError(429, "rate_limited", "Too many requests.", [], 7)), "Zu viele Anfragen. Versuchen Sie es in 7 s erneut.");
  await speak("fr");
  assert.equal(faultText(wrong), "Le nom ou le mot de passe est incorrect.");
});

test("what exactly is wrong stays in the text", async () => {
  await speak("es");
  const fields = new ApiError(400, "validation_failed", "The request is not valid.", [{ name: "name", detail: "Required" }]);
  assert.match(faultText(fields), /^Los datos no son válidos: name: Required$/);
  await speak("en");
  assert.equal(faultText(new ApiError(409, "conflict", "A rule uses this geofence.")), "A rule uses this geofence.");
});

test("a code without a text is shown as the service says it", async () => {
  await speak("de");
  assert.equal(faultText(new ApiError(401, "sso_nonce_wrong", "The ID token answers another sign-on.")), "The ID token answers another sign-on.");
  assert.equal(faultText(new Error("plain")), "plain");
});

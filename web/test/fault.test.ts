import assert from "node:assert/strict";
import { test } from "node:test";
import type { Language } from "../src/i18n/i18n";
import catalogue from "../generated/texts.json";

Object.assign(globalThis, {
  document: { baseURI: "http://skywatch.test/", documentElement: {}, querySelector: () => null },
});
const { useLanguage } = await import("../src/i18n/i18n");
const { ApiError } = await import("../src/session/api");
const { faultOf, faultText, fieldFault, fieldFaults } = await import("../src/session/fault");

async function speak(language: Language): Promise<void> {
  const at = ["en", "de", "fr", "es"].indexOf(language);
  const texts = Object.fromEntries(Object.entries(catalogue).map(([key, forms]) => [key, forms[at]]));
  globalThis.fetch = () => Promise.resolve(Response.json(texts));
  await useLanguage(language);
}

test("an answer of the service is shown in the reader's language, by its code", async () => {
  const wrong = new ApiError(401, "invalid_credentials", "Wrong username or password.");
  await speak("de");
  assert.equal(faultText(wrong), "Benutzername oder Passwort ist falsch.");
  assert.equal(
    faultText(new ApiError(429, "rate_limited", "Too many requests.", [], 7)),
    "Zu viele Anfragen. Versuchen Sie es in 7\u202fs erneut.",
  );
  await speak("fr");
  assert.equal(faultText(wrong), "Nom d’utilisateur ou mot de passe incorrect.");
});

test("what exactly is wrong stays in the text", async () => {
  await speak("es");
  const fields = new ApiError(400, "validation_failed", "The request is not valid.", [
    { name: "name", detail: "Required" },
  ]);
  assert.match(faultText(fields), /^Los datos no son válidos: name: es obligatorio$/);
  await speak("en");
  assert.equal(faultText(new ApiError(409, "conflict", "A rule uses this geofence.")), "A rule uses this geofence.");
});

test("a code without a text is shown as the service says it", async () => {
  await speak("de");
  assert.equal(
    faultText(new ApiError(401, "sso_nonce_wrong", "The ID token answers another sign-on.")),
    "The ID token answers another sign-on.",
  );
  assert.equal(faultText(new Error("plain")), "plain");
});

test("what is wrong with a field is said in the reader's language, with its figures", async () => {
  await speak("de");
  assert.equal(fieldFault("Required"), "fehlt");
  assert.equal(fieldFault("120 is greater than maximum value 100"), "120 ist zu groß: höchstens 100");
  assert.equal(fieldFault("-1.5 is less than minimum value 0"), "-1.5 ist zu klein: mindestens 0");
  assert.equal(fieldFault("Longer than maximum length 64"), "ist zu lang: höchstens 64 Zeichen");
  assert.equal(fieldFault("must have at least 10 characters"), "ist zu kurz: mindestens 10 Zeichen");
  assert.equal(
    fieldFault('"<b>" is not one of info, warning, critical'),
    "„<b>“ ist keines von info, warning, critical",
  );
  await speak("fr");
  assert.equal(fieldFault("must be a whole number"), "doit être un nombre entier");
});

test("a sentence about a field that is not known stays as the service says it", async () => {
  await speak("de");
  assert.equal(
    fieldFault("must hold at most 100 values; put more into a watch list"),
    "must hold at most 100 values; put more into a watch list",
  );
});

test("a fault that stands at its field is not repeated, and entries are counted from one", async () => {
  await speak("en");
  const wrong = new ApiError(400, "validation_failed", "Not valid.", [
    { name: "name", detail: "Required" },
    { name: "entries.2", detail: "must be a string" },
  ]);
  assert.equal(faultText(wrong, ["name", "entries"]), "Check the marked fields.");
  assert.equal(faultText(wrong, ["name"]), "entries.2: must be text");
  const faults = fieldFaults(wrong);
  assert.equal(faultOf(faults, "name"), "is missing");
  assert.equal(faultOf(faults, "entries"), "entry 3: must be text");
  assert.equal(faultOf(faults, "address"), "");
});

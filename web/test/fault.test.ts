import assert from "node:assert/strict";
import { test } from "node:test";
import type { Language } from "../src/i18n/i18n";
import catalogue from "../generated/texts.json";
import sentences from "../../skywatch/console/texts/sentences.json";

Object.assign(globalThis, {
  document: { baseURI: "http://skywatch.test/", documentElement: {}, querySelector: () => null },
});
const { said, useLanguage } = await import("../src/i18n/i18n");
const { ApiError } = await import("../src/session/api");
const { faultOf, faultText, fieldFaults } = await import("../src/session/fault");

async function speak(language: Language): Promise<void> {
  const at = ["en", "de", "fr", "es"].indexOf(language);
  const formsOf = (texts: Record<string, string[]>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, forms]) => [key, forms[at]]));
  globalThis.fetch = (address) =>
    Promise.resolve(Response.json(formsOf(String(address).includes("sentences") ? sentences : catalogue)));
  await useLanguage(language);
  // The sentences of the service come after the texts.
  await new Promise((resolve) => setTimeout(resolve));
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
    { name: "name", detail: said("Required", "field.required", {}) },
  ]);
  assert.equal(faultText(fields), "name: es obligatorio");
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
  assert.equal(said("Required", "field.required", {}), "fehlt");
  assert.equal(
    said("120 is greater than maximum value 100", "field.most", { value: "120", most: "100" }),
    "120 ist zu groß: höchstens 100",
  );
  assert.equal(said("Longer than maximum length 64", "field.long", { n: 64 }), "ist zu lang: höchstens 64 Zeichen");
  assert.equal(
    said('"<b>" is not one of info, warning', "field.choice", { value: "<b>", choices: "info, warning" }),
    "„<b>“ ist keines von info, warning",
  );
  await speak("fr");
  assert.equal(said("must be a whole number", "field.whole", {}), "doit être un nombre entier");
});

test("a sentence of the service is worded from its code, with sentences and numbers in it", async () => {
  const within = {
    text: "SWR1 is at 1,200 ft",
    code: "safety.low_altitude",
    params: { name: "SWR1", altitude: 1200, floor: 5000 },
  };
  const words = { text: "heard by one feeder only", code: "doubt.single_source", params: {} };
  await speak("de");
  assert.equal(
    said("...", "safety.doubted", { message: within, words }),
    "SWR1 ist auf 1.200 ft, wo Verkehrsflugzeuge im Horizontalflug auf 5.000 ft oder höher fliegen (nur von einem Feeder gehört)",
  );
  assert.equal(said("Nobody has translated this.", "of.a.later.version", {}), "Nobody has translated this.");
  assert.equal(said("Nor this."), "Nor this.");
});

for (const language of ["de", "fr", "es"] as const) {
  test(`every sentence of the service is worded in the browser, with its parameters (${language})`, async () => {
    await speak(language);
    const at = ["en", "de", "fr", "es"].indexOf(language);
    for (const [code, forms] of Object.entries(sentences)) {
      const names = [...forms[0].matchAll(/\{(\w+)(?::[^{}]*)?\}/g)].map(([, name]) => name);
      const worded = said(forms[0], code, Object.fromEntries(names.map((name) => [name, 2])));
      assert.ok(!/[{}|]/.test(worded), `${code}: ${worded}`);
      if (forms[at] !== forms[0]) assert.notEqual(worded, said(forms[0], undefined), code);
    }
  });
}

test("a fault that stands at its field is not repeated, and entries are counted from one", async () => {
  await speak("en");
  const wrong = new ApiError(400, "validation_failed", "Not valid.", [
    { name: "name", detail: said("Required", "field.required", {}) },
    { name: "entries.2", detail: said("must be a string", "field.text", {}) },
  ]);
  assert.equal(faultText(wrong, ["name", "entries"]), "Check the marked fields.");
  assert.equal(faultText(wrong, ["name"]), "entries.2: must be text");
  const faults = fieldFaults(wrong);
  assert.equal(faultOf(faults, "name"), "is missing");
  assert.equal(faultOf(faults, "entries"), "entry 3: must be text");
  assert.equal(faultOf(faults, "address"), "");
});

import "./dom";
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "lit";
import catalogue from "../generated/texts.json";
import { useLanguage, type Language } from "../src/i18n/i18n";
import { facts } from "../src/panel/facts";

const NAMES = ["position", "altitude", "geometric_altitude", "speed", "callsign", "squawk", "emergency"];

/** Names and values of the panel's facts of an aircraft, in a language. */
async function factsIn(code: Language, disputed?: string[]): Promise<Map<string, string>> {
  const at = ["en", "de", "fr", "es"].indexOf(code);
  const texts = Object.fromEntries(Object.entries(catalogue).map(([key, forms]) => [key, forms[at]]));
  globalThis.fetch = () => Promise.resolve(Response.json(texts));
  await useLanguage(code);
  const element = document.createElement("div");
  render(facts({ hex: "400001", disputed }, null, 1, false), element);
  const rows = [...element.querySelectorAll(".facts > div")];
  return new Map(rows.map((row) => [row.querySelector("dt")!.textContent!, row.querySelector("dd")!.textContent!]));
}

test("the panel names what receivers contradict each other about, in the reader's language", async () => {
  const labels = [
    "Disputed by receivers",
    "Zwischen Empfängern strittig",
    "Contesté entre récepteurs",
    "Discutido entre receptores",
  ];
  const values = [
    "position, altitude, geometric altitude, speed and track, callsign, squawk, emergency",
    "Position, Höhe, geometrische Höhe, Geschwindigkeit und Kurs, Rufzeichen, Squawk, Notfall",
    "position, altitude, altitude géométrique, vitesse et route, indicatif, squawk, urgence",
    "posición, altitud, altitud geométrica, velocidad y derrota, indicativo, squawk, emergencia",
  ];
  for (const [at, code] of (["en", "de", "fr", "es"] as const).entries())
    assert.equal((await factsIn(code, NAMES)).get(labels[at]), values[at]);
});

test("an aircraft about which nobody contradicts another has no such fact", async () => {
  for (const disputed of [undefined, []]) assert.ok(!(await factsIn("en", disputed)).has("Disputed by receivers"));
});

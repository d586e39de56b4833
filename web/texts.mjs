// Collects the texts of the application, those of the shared rooms, of each feature and those that the console shows as
// well, into one catalogue for each language, and into one document whose keys are the type of all texts; the sentences
// of the service, by their codes, into a catalogue of their own for each language but English.
// Usage: node texts.mjs
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const LANGUAGES = ["en", "de", "fr", "es"];

export function prepareTexts(here, generated) {
  mkdirSync(generated, { recursive: true });
  const catalogue = collected(here);
  for (const [at, language] of LANGUAGES.entries()) {
    const entries = Object.entries(catalogue).map(([key, forms]) => [key, forms[at]]);
    const missing = entries.filter(([, text]) => typeof text !== "string" || text === "").map(([key]) => key);
    if (missing.length) throw new Error(`${language} lacks ${missing.join(", ")}`);
    writeFileSync(join(generated, `${language}.catalogue`), JSON.stringify(Object.fromEntries(entries)));
  }
  writeFileSync(join(generated, "texts.json"), JSON.stringify(catalogue));
  const sentences = Object.entries(JSON.parse(readFileSync(join(sharedWithConsole(here), "sentences.json"), "utf8")));
  for (const [at, language] of LANGUAGES.entries()) {
    // The English texts come from the service.
    if (language === "en") continue;
    const forms = Object.fromEntries(sentences.map(([code, texts]) => [code, texts[at]]));
    writeFileSync(join(generated, `${language}_sentences.catalogue`), JSON.stringify(forms));
  }
}

/** The folder of the texts that application and console show: an installed package has the console's folder alone. */
function sharedWithConsole(here) {
  return join(here, "..", "skywatch", "console", "texts");
}

/** All texts by key, each with its forms in the order of the languages; refuses a key that stands in two files. */
function collected(here) {
  const features = join(here, "src", "features");
  const files = [
    join(sharedWithConsole(here), "shared.json"),
    join(here, "src", "i18n", "texts.json"),
    ...readdirSync(features).map((name) => join(features, name, "texts.json")),
  ];
  const catalogue = {};
  for (const file of files.filter((path) => existsSync(path))) {
    for (const [key, forms] of Object.entries(JSON.parse(readFileSync(file, "utf8")))) {
      if (key in catalogue) throw new Error(`${relative(here, file)}: the text ${key} stands in another file too`);
      catalogue[key] = forms;
    }
  }
  return catalogue;
}

const here = dirname(fileURLToPath(import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) prepareTexts(here, join(here, "generated"));

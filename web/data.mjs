// Prepares what the map shows without the internet: land and borders (Natural Earth, public domain, from the package
// world-atlas), airports (from the Python package airportsdata, MIT) and one catalogue of texts for each language.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareTexts } from "./texts.mjs";

export function prepareData(here, generated, airportsFile) {
  mkdirSync(generated, { recursive: true });
  for (const detail of ["110m", "50m", "10m"]) {
    const source = join(here, "node_modules", "world-atlas", `countries-${detail}.json`);
    copyFileSync(source, join(generated, `countries-${detail}.topology`));
  }
  writeFileSync(join(generated, "airports.airports"), JSON.stringify(airports(airportsFile)));
  prepareTexts(here, generated);
}

// Airports with an IATA code, as rows [iata, icao, name, lat, lon]; none where the package is not installed.
function airports(file) {
  if (!file || !existsSync(file)) {
    console.warn("Without airports: the Python package airportsdata is not installed.");
    return [];
  }
  const [head, ...lines] = readFileSync(file, "utf8").trim().split(/\r?\n/).map(cells);
  const at = Object.fromEntries(head.map((name, index) => [name, index]));
  return lines
    .filter((row) => row[at.iata])
    .map((row) => [
      row[at.iata],
      row[at.icao],
      row[at.name],
      Math.round(Number(row[at.lat]) * 1e4) / 1e4,
      Math.round(Number(row[at.lon]) * 1e4) / 1e4,
    ]);
}

function cells(line) {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, -1)
    .map(([, cell]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

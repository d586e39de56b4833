import assert from "node:assert/strict";
import { test } from "node:test";
import blocks from "../../skywatch/airframes/states.json";
import { stateOf } from "../src/core/states";
import { stepped } from "../src/live/order";
import { insetsOf, shiftInto } from "../src/map/visible";
import { operatorOf, ownOperators, typeName, typeWords } from "../src/panel/names";
import operators from "../src/panel/names/operators.json";
import types from "../src/panel/names/types.json";

test("an address belongs to the State of its block, at both of its ends", () => {
  for (const [code, span] of Object.entries(blocks)) {
    const [first, last] = span.split("-");
    // The British block begins with Bermuda's.
    assert.equal(stateOf(first.toLowerCase()), code === "GB" ? "BM" : code);
    assert.equal(stateOf(last), code);
  }
  for (const [hex, code] of [
    ["789000", "HK"],
    ["789FFF", "HK"],
    ["78A000", "CN"],
    ["400000", "BM"],
    ["4246ff", "BM"],
    ["424b80", "IM"],
    ["43e9ff", "IM"],
    ["43ec00", "GG"],
    ["4001d0", "KY"],
    ["4002ff", "GB"],
    ["400500", "GB"],
  ])
    assert.equal(stateOf(hex), code);
  assert.equal(stateOf("4b1800"), "CH");
  assert.equal(stateOf("3c6444"), "DE");
  assert.equal(stateOf("a00001"), "US");
});

test("blocks stand in their order, do not overlap, and have a power of two of addresses, at least 2,048", () => {
  let before = -1;
  for (const [code, span] of Object.entries(blocks)) {
    assert.match(code, /^[A-Z]{2}$/);
    assert.match(span, /^[0-9A-F]{6}-[0-9A-F]{6}$/);
    const [first, last] = span.split("-").map((text) => parseInt(text, 16));
    const size = last - first + 1;
    assert.ok(first > before && size >= 2048 && (size & (size - 1)) === 0 && first % size === 0, code);
    before = last;
  }
});

test("what is no address of ICAO's, or of no State, has none", () => {
  for (const hex of ["~4b1800", "000000", "003fff", "f00000", "ffffff", "", "4b18", "xyzxyz"])
    assert.equal(stateOf(hex), null, hex);
});

test("the tables of names are sorted and well formed", () => {
  for (const [table, code] of [
    [operators, /^[A-Z]{3}$/],
    [types, /^[A-Z0-9]{2,4}$/],
  ] as const) {
    const codes = Object.keys(table);
    assert.deepEqual(codes, [...codes].sort());
    assert.deepEqual(
      codes.filter((one) => !code.test(one)),
      [],
    );
    assert.deepEqual(
      Object.values(table).filter((name) => !name || name !== name.trim()),
      [],
    );
  }
});

test("a callsign names its operator by three letters, and a registration names none", () => {
  assert.equal(operatorOf("SWR123"), "SWISS");
  assert.equal(operatorOf("baw7ab "), "British Airways");
  assert.equal(operatorOf("DLHAB1"), "Lufthansa");
  for (const callsign of ["DLH", "DLHAB", "N123AB", "HBPGD", "QQQ123", "", null, undefined, "SWR1234567"])
    assert.equal(operatorOf(callsign), "", String(callsign));
});

test("the names of the installation go before ours", () => {
  ownOperators.set({ SWR: "Swiss International", CLB: "The Club" });
  assert.equal(operatorOf("SWR1"), "Swiss International");
  assert.equal(operatorOf("CLB1"), "The Club");
  assert.equal(operatorOf("DLH1"), "Lufthansa");
  ownOperators.set({});
});

test("types are named, and what is unknown is not", () => {
  assert.equal(typeName("A320"), "Airbus A320");
  assert.equal(typeName("b738"), "Boeing 737-800");
  assert.equal(typeName("ZZZZ"), "");
  assert.equal(typeName(undefined), "");
});

const MAP = { left: 0, top: 50, right: 1000, bottom: 850 };

test("what lies over the map is next to, below or above what is seen", () => {
  assert.deepEqual(insetsOf(MAP, []), [0, 0, 0, 0]);
  assert.deepEqual(insetsOf(MAP, [{ left: 12, top: 62, right: 364, bottom: 400 }]), [0, 0, 0, 364]);
  assert.deepEqual(insetsOf(MAP, [{ left: 700, top: 50, right: 1000, bottom: 850 }]), [0, 300, 0, 0]);
  assert.deepEqual(insetsOf(MAP, [{ left: 0, top: 450, right: 1000, bottom: 850 }]), [0, 0, 400, 0]);
  assert.deepEqual(insetsOf(MAP, [{ left: 1000, top: 50, right: 1400, bottom: 850 }]), [0, 0, 0, 0], "next to the map");
  assert.deepEqual(insetsOf(MAP, [{ left: 0, top: 60, right: 1000, bottom: 850 }]), [0, 0, 0, 0], "nothing is left");
});

test("a point is moved no farther than it takes", () => {
  const size: [number, number] = [1000, 800];
  assert.deepEqual(shiftInto([600, 400], size, [0, 0, 0, 364], 50), [0, 0]);
  assert.deepEqual(shiftInto([200, 400], size, [0, 0, 0, 364], 50), [214, 0]);
  assert.deepEqual(shiftInto([500, 700], size, [0, 0, 400, 0], 50), [0, -350]);
  assert.deepEqual(shiftInto([10, 10], [60, 60], [0, 0, 0, 0], 50), [20, 20], "too small for its room: the middle");
});

test("next and previous go round the list, and random is another one", () => {
  const rows = [7, 3, 9];
  assert.equal(stepped(rows, 3, 1, 0), 9);
  assert.equal(stepped(rows, 9, 1, 0), 7);
  assert.equal(stepped(rows, 7, -1, 0), 9);
  assert.equal(stepped(rows, -1, 1, 0), 7);
  assert.equal(stepped(rows, -1, -1, 0), 9);
  assert.deepEqual(
    [0, 0.5, 0.99].map((random) => stepped(rows, 3, 0, random)),
    [7, 9, 9],
  );
  assert.equal(stepped([], 3, 1, 0), -1);
  assert.equal(stepped([3], 3, 0, 0), -1);
});

test("a type in words is the registers' own, and an import's capitals become words", () => {
  assert.equal(typeWords("A320", "AIRBUS A-320"), "Airbus A320");
  assert.equal(typeWords("EC45", "AIRBUS HELICOPTERS EC-145"), typeName("EC45") || "Airbus Helicopters EC-145");
  assert.equal(typeWords("ZZZZ", "AIRBUS HELICOPTERS EC-145"), "Airbus Helicopters EC-145");
  assert.equal(typeWords("", "PIPER PA-28 CHEROKEE"), "Piper PA-28 Cherokee");
  assert.equal(typeWords("", "ATR 72-600"), "ATR 72-600");
  assert.equal(typeWords("", "PZL M-28 SKYTRUCK"), "PZL M-28 Skytruck");
  assert.equal(typeWords("", "REIMS-CESSNA F172N"), "Reims-Cessna F172N");
  assert.equal(typeWords("", "Diamond DA40 NG"), "Diamond DA40 NG");
  assert.equal(typeWords("", null), "");
});

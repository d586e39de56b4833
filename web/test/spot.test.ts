import assert from "node:assert/strict";
import { test } from "node:test";
import { consoleAddress, degrees } from "../src/features/system/spot";

test("a clicked place goes to the console's page of the station, rounded to 11 m", () => {
  assert.equal(consoleAddress({ lat: 47.458217, lon: 8.555476 }), "console/station?step=2&lat=47.4582&lon=8.5555");
  assert.equal(degrees({ lat: -33.94611, lon: 151.17722 }), "-33.9461, 151.1772");
});

test("a copy of the world next to the first one has the same longitudes", () => {
  assert.equal(degrees({ lat: 0, lon: 368.5 }), "0.0000, 8.5000");
  assert.equal(degrees({ lat: 0, lon: -351.5 }), "0.0000, 8.5000");
  assert.equal(degrees({ lat: 0, lon: -181 }), "0.0000, 179.0000");
});

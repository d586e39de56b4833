import assert from "node:assert/strict";
import { test } from "node:test";
import { LEGEND_FT, altitudeColour, type Colour } from "../src/core/ramp";
import { palette } from "../src/core/palette";

type Matrix = [Colour, Colour, Colour];

// What readers see who lack one kind of cone, in linear RGB: Machado, Oliveira and Fernandes, "A Physiologically-based
// Model for Simulation of Color Vision Deficiency" (2009), severity 1.
const SIGHTS: Record<string, Matrix> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
// sRGB to CIE XYZ (IEC 61966-2-1), and the white of D65.
const XYZ: Matrix = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const WHITE: Colour = [0.95047, 1, 1.08883];
// Differences of 2.3 are just seen side by side (CIE76); symbols on a map stand apart and are small.
const MIN_DIFFERENCE = 17;
// WCAG 2.2, 1.4.11.
const MIN_CONTRAST = 3;

const times = (matrix: Matrix, [a, b, c]: Colour): Colour =>
  matrix.map((row) => row[0] * a + row[1] * b + row[2] * c) as Colour;

function linear(colour: Colour): Colour {
  return colour.map((value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4)) as Colour;
}

/** CIE L*a*b* of a colour as somebody sees it. */
function seen(colour: Colour, sight: Matrix): Colour {
  const clipped = times(sight, linear(colour)).map((value) => Math.min(1, Math.max(0, value))) as Colour;
  const [x, y, z] = times(XYZ, clipped).map((value, at) => {
    const share = value / WHITE[at];
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const luminance = (colour: Colour): number => times(XYZ, linear(colour))[1];
const hex = (text: string): Colour => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as Colour;

function symbols(dark: boolean): [string, Colour][] {
  const stops = LEGEND_FT.map((feet): [string, Colour] => [`${feet} ft`, altitudeColour(feet, false, dark)]);
  return [...stops, ["ground", altitudeColour(0, true, dark)], ["unknown", altitudeColour(Number.NaN, false, dark)]];
}

/** Differences of neighbours among the levels where airliners cruise; a step of 3,000 ft is half of one of the legend's. */
const CRUISE_FT = [25_000, 28_000, 31_000, 34_000, 37_000, 40_000, 43_000];
const MIN_STEP = 6;

for (const dark of [true, false]) {
  for (const [name, sight] of Object.entries(SIGHTS)) {
    test(`altitudes stay apart, ${dark ? "dark" : "light"}, ${name}`, () => {
      const all = symbols(dark);
      for (const [at, [one, colour]] of all.entries()) {
        for (const [other, otherColour] of all.slice(at + 1)) {
          const [a, b] = [seen(colour, sight), seen(otherColour, sight)];
          const difference = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          assert.ok(difference >= MIN_DIFFERENCE, `${one} and ${other}: ${difference.toFixed(1)}`);
        }
      }
    });
  }

  for (const [name, sight] of Object.entries(SIGHTS)) {
    test(`cruise levels are told apart, ${dark ? "dark" : "light"}, ${name}`, () => {
      const colours = CRUISE_FT.map((feet) => seen(altitudeColour(feet, false, dark, "even"), sight));
      for (const [at, a] of colours.slice(0, -1).entries()) {
        const b = colours[at + 1];
        const difference = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        assert.ok(difference >= MIN_STEP, `${CRUISE_FT[at]} and ${CRUISE_FT[at + 1]} ft: ${difference.toFixed(1)}`);
      }
    });
  }

  test(`the hue ramp stands out from the map at every level, ${dark ? "dark" : "light"}`, () => {
    const { sea, land } = palette(dark);
    for (let feet = 0; feet <= 45_000; feet += 1000) {
      for (const ground of [sea, land]) {
        const [low, high] = [luminance(altitudeColour(feet, false, dark, "hue")), luminance(hex(ground))].sort(
          (a, b) => a - b,
        );
        assert.ok((high + 0.05) / (low + 0.05) >= MIN_CONTRAST, `${feet} ft on ${ground}`);
      }
    }
    assert.deepEqual(altitudeColour(40_000, false, dark, "hue"), altitudeColour(45_000, false, dark, "hue"));
  });

  test(`altitudes, alerts and emergencies stand out from the map, ${dark ? "dark" : "light"}`, () => {
    const { sea, land, alert, emergency } = palette(dark);
    for (const ground of [sea, land]) {
      const marks: [string, Colour][] = [...symbols(dark), ["alert", hex(alert)], ["emergency", hex(emergency)]];
      for (const [name, colour] of marks) {
        const [low, high] = [luminance(colour), luminance(hex(ground))].sort((a, b) => a - b);
        const contrast = (high + 0.05) / (low + 0.05);
        assert.ok(contrast >= MIN_CONTRAST, `${name} on ${ground}: ${contrast.toFixed(2)}`);
      }
    }
  });
}

// Colours by altitude: the even ramp, from amber by way of magenta to blue, which spreads the levels where airliners
// cruise, and the hue ramp, which turns through the colour wheel as tar1090's does. Of the even one the stops were searched for: any two of them, and those of
// aircraft on the ground and without an altitude, stay apart for readers with any kind of colour blindness, and all stand
// out from sea and land (held by test/colours.test.ts).
export type Colour = [number, number, number];

export type RampName = "even" | "hue";

const ALTITUDES_FT = [0, 6000, 14000, 25000, 31000, 37000, 43000];
const ON_DARK: Colour[] = [
  [253, 199, 5],
  [232, 125, 31],
  [192, 59, 110],
  [145, 48, 250],
  [146, 109, 254],
  [113, 158, 243],
  [153, 231, 255],
];
const ON_LIGHT: Colour[] = [
  [106, 71, 0],
  [192, 92, 18],
  [120, 0, 58],
  [62, 11, 129],
  [79, 17, 222],
  [118, 103, 240],
  [19, 135, 164],
];
const GROUND: Record<"dark" | "light", Colour> = { dark: [179, 167, 150], light: [132, 118, 106] };
const UNKNOWN: Record<"dark" | "light", Colour> = { dark: [255, 255, 249], light: [73, 87, 101] };
/** Degrees of the colour wheel by altitude: orange, green, magenta. */
const HUES: [number, number][] = [
  [0, 20],
  [10_000, 140],
  [40_000, 300],
];
const SATURATION = 0.88;
/** Hues are not equally bright: each is as light as this luminance takes (WCAG's relative luminance). */
const LUMINANCE = { dark: 0.33, light: 0.17 };
export const LEGEND_FT = ALTITUDES_FT;

let chosen: RampName = "even";

/** Colour by this ramp from now on, in this thread. */
export function useRamp(name: RampName): void {
  chosen = name;
}

export function altitudeColour(altitudeFt: number, onGround: boolean, dark: boolean, ramp: RampName = chosen): Colour {
  const theme = dark ? "dark" : "light";
  if (onGround) return GROUND[theme];
  if (Number.isNaN(altitudeFt)) return UNKNOWN[theme];
  return ramp === "hue" ? hueColour(altitudeFt, dark) : evenColour(altitudeFt, dark);
}

function evenColour(altitudeFt: number, dark: boolean): Colour {
  const stops = dark ? ON_DARK : ON_LIGHT;
  const last = ALTITUDES_FT.length - 1;
  if (altitudeFt <= ALTITUDES_FT[0]) return stops[0];
  if (altitudeFt >= ALTITUDES_FT[last]) return stops[last];
  let at = 0;
  while (altitudeFt > ALTITUDES_FT[at + 1]) at += 1;
  const share = (altitudeFt - ALTITUDES_FT[at]) / (ALTITUDES_FT[at + 1] - ALTITUDES_FT[at]);
  const mix = (part: 0 | 1 | 2): number =>
    Math.round(stops[at][part] + share * (stops[at + 1][part] - stops[at][part]));
  return [mix(0), mix(1), mix(2)];
}

function hueColour(altitudeFt: number, dark: boolean): Colour {
  const [, [middleFt, middle], [topFt, top]] = HUES;
  const [, low] = HUES[0];
  const feet = Math.max(0, Math.min(topFt, altitudeFt));
  const hue =
    feet < middleFt
      ? low + ((middle - low) * feet) / middleFt
      : middle + ((top - middle) * (feet - middleFt)) / (topFt - middleFt);
  const goal = dark ? LUMINANCE.dark : LUMINANCE.light;
  let [least, most] = [0, 1];
  for (let step = 0; step < 12; step += 1) {
    const lightness = (least + most) / 2;
    if (luminance(fromHue(hue, lightness)) < goal) least = lightness;
    else most = lightness;
  }
  return fromHue(hue, most);
}

/** CSS's `hsl()`. */
function fromHue(hue: number, lightness: number): Colour {
  const reach = SATURATION * Math.min(lightness, 1 - lightness);
  const part = (shift: number): number => {
    const turn = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return [part(0), part(8), part(4)];
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) =>
    value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function css([red, green, blue]: Colour, opacity = 1): string {
  return `rgb(${red} ${green} ${blue} / ${opacity})`;
}

const tables = new Map<string, Uint32Array>();
const STEPS = 180;
/** How many colours a ramp has: one for each 250 ft, and those of the ground and of an unknown altitude. */
export const RAMP_SIZE = STEPS + 2;

/** Colours packed as the map's layer takes them (little endian RGBA); by `rampIndex`. */
export function packedRamp(dark: boolean): Uint32Array {
  const key = `${chosen} ${dark}`;
  let table = tables.get(key);
  if (!table) {
    const pack = ([red, green, blue]: Colour): number => (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
    table = Uint32Array.from({ length: RAMP_SIZE }, (_, at) => pack(altitudeColour(at * 250, false, dark)));
    table[STEPS] = pack(altitudeColour(0, true, dark));
    table[STEPS + 1] = pack(altitudeColour(Number.NaN, false, dark));
    tables.set(key, table);
  }
  return table;
}

export function rampIndex(altitudeFt: number, onGround: boolean): number {
  if (onGround) return STEPS;
  if (Number.isNaN(altitudeFt)) return STEPS + 1;
  return Math.max(0, Math.min(STEPS - 1, Math.round(altitudeFt / 250)));
}

// Colours by altitude, from amber by way of magenta to blue. The stops were searched for: any two of them, and those of
// aircraft on the ground and without an altitude, stay apart for readers with any kind of colour blindness, and all stand
// out from sea and land (held by test/colours.test.ts).
export type Colour = [number, number, number];

const ALTITUDES_FT = [0, 4000, 10000, 20000, 30000, 40000];
const ON_DARK: Colour[] = [[254, 179, 0], [226, 130, 40], [179, 69, 146], [187, 70, 250], [144, 163, 254], [133, 211, 253]];
const ON_LIGHT: Colour[] = [[105, 69, 3], [176, 102, 7], [105, 0, 39], [70, 0, 126], [74, 80, 252], [0, 127, 191]];
const GROUND: Record<"dark" | "light", Colour> = { dark: [177, 165, 149], light: [133, 120, 106] };
const UNKNOWN: Record<"dark" | "light", Colour> = { dark: [255, 255, 249], light: [73, 85, 99] };
export const LEGEND_FT = ALTITUDES_FT;

export function altitudeColour(altitudeFt: number, onGround: boolean, dark: boolean): Colour {
  const theme = dark ? "dark" : "light";
  if (onGround) return GROUND[theme];
  if (Number.isNaN(altitudeFt)) return UNKNOWN[theme];
  const stops = dark ? ON_DARK : ON_LIGHT;
  const last = ALTITUDES_FT.length - 1;
  if (altitudeFt <= ALTITUDES_FT[0]) return stops[0];
  if (altitudeFt >= ALTITUDES_FT[last]) return stops[last];
  let at = 0;
  while (altitudeFt > ALTITUDES_FT[at + 1]) at += 1;
  const share = (altitudeFt - ALTITUDES_FT[at]) / (ALTITUDES_FT[at + 1] - ALTITUDES_FT[at]);
  const mix = (part: 0 | 1 | 2): number => Math.round(stops[at][part] + share * (stops[at + 1][part] - stops[at][part]));
  return [mix(0), mix(1), mix(2)];
}

export function css([red, green, blue]: Colour, opacity = 1): string {
  return `rgb(${red} ${green} ${blue} / ${opacity})`;
}

const tables = new Map<boolean, Uint32Array>();

/** Colours packed as the map's layer takes them (little endian RGBA), one for each 250 ft; by `index`. */
export function packedRamp(dark: boolean): Uint32Array {
  let table = tables.get(dark);
  if (!table) {
    const pack = ([red, green, blue]: Colour): number => (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
    table = Uint32Array.from({ length: STEPS + 2 }, (_, at) => pack(altitudeColour(at * 250, false, dark)));
    table[STEPS] = pack(altitudeColour(0, true, dark));
    table[STEPS + 1] = pack(altitudeColour(Number.NaN, false, dark));
    tables.set(dark, table);
  }
  return table;
}

const STEPS = 180;

export function rampIndex(altitudeFt: number, onGround: boolean): number {
  if (onGround) return STEPS;
  if (Number.isNaN(altitudeFt)) return STEPS + 1;
  return Math.max(0, Math.min(STEPS - 1, Math.round(altitudeFt / 250)));
}

// Colours of the palette as the graphics card takes them.

/** Parts from 0 to 1 of a colour of the palette: `#rrggbb` or `rgb(r g b / a)`. */
export function inkOf(colour: string): [number, number, number, number] {
  if (colour.startsWith("#")) {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
    return [red, green, blue, 1];
  }
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g)!.map(Number);
  return [red / 255, green / 255, blue / 255, alpha];
}

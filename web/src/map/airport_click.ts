// What a click on an airport of the map does; set by the feature that shows airports.
export const airportClick: {
  /** Show an airport by its ICAO code or ident; false where this person may not see it. */
  open: ((ident: string) => boolean) | null;
} = { open: null };

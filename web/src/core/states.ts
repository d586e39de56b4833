// The State of an aircraft by its ICAO address. states.json has each State of registry by its ISO 3166 code, with the first
// and last address of its block, in their order. ICAO Annex 10, volume III (appendix to chapter 9) allocates the blocks; the
// table follows public lists of that allocation and was not compared with the Annex itself. Its smallest blocks have 2,048
// addresses, as current lists publish them; earlier editions of the Annex allocate 1,024. blocks_within.json has the blocks
// that a State has given to registers of their own, such as Bermuda's and Hong Kong's; they come before the State's.
import within from "../../../skywatch/airframes/blocks_within.json";
import blocks from "../../../skywatch/airframes/states.json";

const ADDRESS = /^[0-9a-f]{6}$/i;
const rows = Object.entries(blocks).map(([code, span]) => ({
  code,
  first: parseInt(span.slice(0, 6), 16),
  last: parseInt(span.slice(7), 16),
}));
const inner = Object.entries(within).flatMap(([code, spans]) =>
  spans.map((span) => ({ code, first: parseInt(span.slice(0, 6), 16), last: parseInt(span.slice(7), 16) })),
);

/** The ISO code of the register or State whose block has this address; null for addresses that are none of ICAO's (`~`) or of no State. */
export function stateOf(hex: string): string | null {
  if (!ADDRESS.test(hex)) return null;
  const address = parseInt(hex, 16);
  const register = inner.find(({ first, last }) => address >= first && address <= last);
  if (register) return register.code;
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle].first <= address) low = middle;
    else high = middle - 1;
  }
  return address >= rows[low].first && address <= rows[low].last ? rows[low].code : null;
}

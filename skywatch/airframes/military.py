"""Military aircraft by their ICAO address: the blocks that States assign to their armed forces.

Every State has a block of 24-bit addresses (ICAO Annex 10, volume III, table 9-1) and divides it at its own discretion.
The military part is inferred from the end of the civil register and from the addresses of military aircraft. Only
blocks in which at least four of five airframes recorded in public databases are military are listed; for mixed blocks
the imported databases decide.
"""

from __future__ import annotations

from bisect import bisect_right

from skywatch.airframes.models import MILITARY

# (first, last, State)
MILITARY_BLOCKS: tuple[tuple[int, int, str], ...] = (
    (0x010070, 0x01008F, "Egypt"),
    (0x0A4000, 0x0A4FFF, "Algeria"),
    (0x33FF00, 0x33FFFF, "Italy"),
    (0x350000, 0x37FFFF, "Spain"),
    (0x3AA000, 0x3AFFFF, "France"),
    (0x3B7000, 0x3BFFFF, "France"),
    (0x3EA000, 0x3EBFFF, "Germany"),
    (0x3F4000, 0x3FBFFF, "Germany"),
    (0x43C000, 0x43CFFF, "United Kingdom"),
    (0x44F000, 0x44FFFF, "Belgium"),
    (0x457000, 0x457FFF, "Bulgaria"),
    (0x45F400, 0x45F4FF, "Denmark"),
    (0x468000, 0x4683FF, "Greece"),
    (0x473C00, 0x473C0F, "Hungary"),
    (0x478100, 0x4781FF, "Norway"),
    (0x480000, 0x480FFF, "Netherlands"),
    (0x48D800, 0x48D87F, "Poland"),
    (0x497C00, 0x497CFF, "Portugal"),
    (0x498420, 0x49842F, "Czechia"),
    (0x4B7000, 0x4B7FFF, "Switzerland"),
    (0x4B8200, 0x4B82FF, "Türkiye"),
    (0x70C070, 0x70C07F, "Oman"),
    (0x710258, 0x71028F, "Saudi Arabia"),
    (0x710380, 0x71039F, "Saudi Arabia"),
    (0x738A00, 0x738AFF, "Israel"),
    (0x7CF800, 0x7CFAFF, "Australia"),
    (0x800200, 0x8002FF, "India"),
    # The civil register, N1 to N99999, ends at ADF7C7 by the formula that maps it to addresses.
    (0xADF7C8, 0xAFFFFF, "United States"),
    (0xC20000, 0xC3FFFF, "Canada"),
)
_FIRSTS = [first for first, _, _ in MILITARY_BLOCKS]


def is_military(icao_hex: str, *flags: int | None) -> bool:
    """Whether an aircraft is military: by its address, or by flags of receivers and airframes (readsb's dbFlags)."""
    return any(value is not None and value & MILITARY for value in flags) or is_military_address(icao_hex)


def is_military_address(icao_hex: str) -> bool:
    """Whether an ICAO address (either case) lies in a military block; False for anything that is not an address."""
    try:
        address = int(icao_hex, 16)
    except ValueError:
        return False  # Addresses with a leading ~ are not ICAO's.
    block = bisect_right(_FIRSTS, address) - 1
    return block >= 0 and address <= MILITARY_BLOCKS[block][1]

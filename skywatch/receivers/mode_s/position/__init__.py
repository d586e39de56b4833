"""Positions: Compact Position Reporting, pairing, plausibility, integrity."""

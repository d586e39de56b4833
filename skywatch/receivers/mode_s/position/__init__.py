"""Positions in frames: Compact Position Reporting, pairing, plausibility, integrity.

Not here: choosing between receivers (`picture/positions`).
"""

"""Implausible positions and disturbed navigation: leaps, spoofed points, regions of interference.

Not here: positions that the picture refuses (`picture/positions`).
"""

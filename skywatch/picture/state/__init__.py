"""What a sky consists of: fields and their lifetime, columns, JSON of each aircraft, rows from tick to tick.

Not here: how values are chosen (`picture/merging`), and differences between skies (`picture/changes.py`).
"""

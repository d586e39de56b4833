"""Positions: which are plausible, and which one of several receivers is taken.

Not here: decoding a position out of frames (`receivers/mode_s/position`), and events about wrong ones
(`safety/detection/navigation`).
"""

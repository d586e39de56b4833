"""Reduces a second of decoded frames to one report an aircraft, source and lane, as columns.

Not here: what a report is (`receivers/reports`).
"""

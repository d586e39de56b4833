"""Measures the picture's receivers in the tracker, and writes what it measured: a row for each receiver and hour.

Not here: what the API shows of it (`reception/figures`).
"""

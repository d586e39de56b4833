"""The quality of reception as the API shows it: range by bearing, signals, coverage.

Not here: measuring it (`reception/measurement`).
"""

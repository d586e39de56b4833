"""The predicates of each kind of pattern and of the ordinary reasons, with their thresholds, units in the names.

Not here: thresholds of safety events (`safety/thresholds`).
"""

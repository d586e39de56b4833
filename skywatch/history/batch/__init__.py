"""History in work over archived days: a day as its jobs read it, and the range of reception by day.

Not here: running jobs (`archive/batch`).
"""

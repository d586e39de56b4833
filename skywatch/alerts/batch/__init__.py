"""Alert rules over archived days: every enabled rule with the rights of its owner, as a dry run of each day.

Not here: running jobs, which is `archive/batch`.
"""

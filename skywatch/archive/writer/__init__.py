"""Archives whole days, verifies them, deletes what is too old, and decides what retention may delete.

Not here: columns and rows of what is archived, which features declare (`history/retention.py` and others).
"""

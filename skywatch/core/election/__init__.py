"""The leader of an installation: at most one tracker runs, by a lock of the database and heartbeats on the bus.

Not here: refusing what a former leader still writes (`core/database/fencing.py`).
"""

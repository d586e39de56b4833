"""The engine: tests all rules on the columns of each tick, and decides for which aircraft a rule fires or clears.

Not here: reading rules from the database and writing alerts, which is `alerts/tracker`.
"""

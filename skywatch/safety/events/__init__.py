"""Stored safety events: their life cycle, rows and messages.

Not here: detection (`safety/detection`).
"""

"""Stored safety events: their life cycle, rows and messages."""

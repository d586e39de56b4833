"""Sessions, alerts and patterns as their user sees them: REST resources, messages, notifications.

Not here: opening, updating and ending sessions (`cannonball/tracker`).
"""

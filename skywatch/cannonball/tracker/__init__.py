"""Cannonball beside the tracker: tests the picture around each user, opens and ends sessions, raises alerts.

Pure rules (`threat`, `alerts`, `geometry`) are separate from state (`locations`, `interest`, `watch`, `sessions`) and
from the database (`records`, `writer`).

Not here: what a user reads of it (`cannonball/sessions`).
"""

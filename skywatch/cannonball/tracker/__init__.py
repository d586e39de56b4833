"""Tests the picture around each user: locations, interest, sessions, threat levels and alerts.

Pure rules (`threat`, `alerts`, `geometry`) are separate from state (`locations`, `interest`, `watch`, `sessions`) and
from the database (`records`, `writer`).
"""

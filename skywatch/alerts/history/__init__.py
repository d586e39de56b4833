"""Alerts that were announced: read, acknowledged and counted."""

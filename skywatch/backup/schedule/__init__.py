"""Backups by schedule: when one is due, which are removed, and who is notified of a failure."""

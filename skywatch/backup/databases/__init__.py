"""Backup and restore of one database by its own means."""

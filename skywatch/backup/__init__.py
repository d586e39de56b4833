"""Backup and restore: whole copies of an installation in a folder each, by command and on a schedule."""

"""Imports of lists: staged, planned, then applied in one transaction."""

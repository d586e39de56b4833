"""Dry runs of rules: over how much of the past, and what comes of it."""

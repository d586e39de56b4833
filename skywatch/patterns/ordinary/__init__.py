"""Ordinary reasons to fly a pattern."""

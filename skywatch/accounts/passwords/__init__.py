"""Passwords: which are refused as too easy, and how many threads may hash them at a time."""

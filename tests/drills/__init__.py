"""Drills: real processes, broken on purpose, for longer than a test may take. Each has a short form among the tests."""

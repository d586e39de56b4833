"""Patterns that turn: loops, circles, racetracks, low points."""

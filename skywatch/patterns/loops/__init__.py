"""Patterns that turn: loops, circles, racetracks, and the ordinary reasons to fly them."""

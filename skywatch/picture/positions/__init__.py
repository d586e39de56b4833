"""Positions: which are plausible, and which one of several receivers is taken."""

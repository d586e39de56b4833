"""Implausible positions and disturbed navigation."""

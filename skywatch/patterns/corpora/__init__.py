"""Recorded flights: reading them, and how well what is found agrees with labels."""

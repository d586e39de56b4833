"""Searches by their own geometry: expanding squares and spirals, sector searches."""

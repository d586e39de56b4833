"""Flights: the filter of a search, flights in the database and in the archive, and their labels and identifiers.

Not here: their points (`history/storage`, `history/tracks.py`), and flights in the air (`history/recorder`).
"""

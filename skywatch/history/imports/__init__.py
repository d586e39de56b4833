"""Imports flights from other software: traces of readsb, state vectors of OpenSky, recordings of receivers.

Not here: the reading of a recording itself (`receivers/recordings.py`).
"""

"""Recorded flights with labels: reading them, and how well what is found agrees with the labels.

Not here: recordings of receivers (`receivers/recordings.py`).
"""

"""Recordings as files: format, measures of their sound, storage in a folder.

Not here: recordings of receivers (`receivers/recordings.py`).
"""

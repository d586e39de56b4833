"""Reads the archive: DuckDB in a child process, with limits of time, memory and number.

``questions`` are what the child is asked, ``child`` answers them, ``process`` runs it, ``query_limits`` limits how
many are asked at once, and ``archive_reader`` is what other packages use.

Not here: what flights and points of archived days mean, which is `history/flights` and `history/storage`.
"""

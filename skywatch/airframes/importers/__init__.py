"""Databases of airframes that Skywatch reads: one module a format, and the one transaction that takes them in.

A format is a module with ``rows(lines) -> Iterator[Row | Refused]``; nothing in it knows the database.
"""

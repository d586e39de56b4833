"""Databases of airframes that Skywatch reads: one module a format, and the importer with its one transaction.

A format is a module with ``rows(lines) -> Iterator[Row | Refused]``; it does not access the database.
"""

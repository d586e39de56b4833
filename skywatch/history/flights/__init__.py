"""Flights: the filter of a search, flights in the database and in the archive, and their labels and identifiers."""

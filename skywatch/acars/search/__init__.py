"""Search in ACARS messages: grammar of queries, stations, and runs over many rows.

Not here: the tables and their rows as they are written, which is `acars/messages`.
"""

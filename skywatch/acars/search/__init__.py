"""Search in ACARS messages: grammar of queries, stations, and runs over many rows."""

"""The REST resources of ACARS messages."""

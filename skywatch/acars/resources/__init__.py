"""The REST resources of ACARS messages: views, schemas, answers."""

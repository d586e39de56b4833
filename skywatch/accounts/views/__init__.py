"""The account resources: validate, call a service, say what came of it."""

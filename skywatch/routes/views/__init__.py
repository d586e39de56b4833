"""REST resources of routes."""

"""Permissions as the API lists them."""

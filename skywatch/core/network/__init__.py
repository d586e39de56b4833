"""Addresses, careful calls to other services, and how much a client may ask for."""

"""Imports flights from other software: readsb's history."""

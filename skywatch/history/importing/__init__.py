"""Brings flights in from elsewhere: readsb's own history."""

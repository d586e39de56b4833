"""What every other room stands on: database, bus, sphere, clock and the errors a client may see.

Nothing here knows HTTP, aircraft or accounts.
"""

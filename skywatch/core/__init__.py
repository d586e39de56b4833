"""What every other room stands on: database, bus, sphere, clock and the errors a client may see.

Nothing here depends on HTTP, aircraft or accounts.
"""

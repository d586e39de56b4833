"""What every other package stands on: database, bus, sphere, clock and the errors a client may see.

Nothing here depends on HTTP, aircraft or accounts.
"""

"""How each kind of channel sends: one module a kind."""

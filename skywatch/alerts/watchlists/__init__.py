"""Watch lists: addresses, registrations and callsigns for rules."""

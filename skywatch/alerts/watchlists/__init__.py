"""Watch lists: addresses, registrations and callsigns that rules ask for."""

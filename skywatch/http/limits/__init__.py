"""How much one client may ask for: requests, large bodies, streams, time."""

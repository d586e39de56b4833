"""The simulated receiver: a fleet of aircraft that fly plausibly around the station."""

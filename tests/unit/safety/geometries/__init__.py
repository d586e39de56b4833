"""A corpus of drawn encounters by geometry: what must be raised, how early, and what must not be raised."""

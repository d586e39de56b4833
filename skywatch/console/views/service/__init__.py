"""Pages about the service: receivers, station, health, settings, stored data."""

"""Pages about the service: overview, health, settings, retention, channels, thresholds, known aircraft, software."""

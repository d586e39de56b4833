"""The resources of channels, deliveries and browsers."""

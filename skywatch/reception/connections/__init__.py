"""When receivers and feeders were connected: followed in the tracker, and stored."""

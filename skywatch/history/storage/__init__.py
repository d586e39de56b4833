"""Track points as compact chunks."""

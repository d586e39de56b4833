"""The resources of history."""

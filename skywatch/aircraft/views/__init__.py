"""The resources of live aircraft and of airframes."""

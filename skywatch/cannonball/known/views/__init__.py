"""The resources of the list of known aircraft."""

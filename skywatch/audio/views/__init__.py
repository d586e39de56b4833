"""The REST resources of audio."""

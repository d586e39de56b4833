"""The content of frames other than positions: identification, status, velocity, replies."""

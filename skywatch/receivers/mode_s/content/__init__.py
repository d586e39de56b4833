"""The content of frames beside positions: identification, status, velocity, replies."""

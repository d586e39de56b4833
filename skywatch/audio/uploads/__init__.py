"""Uploads: multipart forms from the network to disk, and their fields."""

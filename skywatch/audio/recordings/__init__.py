"""Recordings: what a file is, what is measured in it, and where it is stored."""

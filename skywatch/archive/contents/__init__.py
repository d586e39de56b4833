"""What is in the archive: the layout of its files, and the manifest of a day."""

"""What is in the archive: the layout of its files, the manifest of a day, and the results of batch jobs."""

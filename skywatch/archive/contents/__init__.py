"""What is in the archive: the layout of its files, the manifest of a day, and the results of batch jobs.

Not here: reading and writing bytes (`archive/storage`), and queries (`archive/reader`).
"""

"""What a backup consists of: manifest, files with their hashes, encrypted settings, and the folder with all of it.

Not here: the copy of a database, which is `backup/databases`.
"""

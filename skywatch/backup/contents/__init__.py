"""What a backup consists of: manifest, files with their hashes, encrypted settings, and the folder with all of it."""

"""The picture in the database, so that it survives a restart."""

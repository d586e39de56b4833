"""One subscriber on a connection: its commands, topics and rights."""

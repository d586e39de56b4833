"""The console's session: who may begin one, its cookie, and the first run."""

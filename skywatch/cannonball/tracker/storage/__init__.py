"""The tracker's changes in the database, and what a restart takes up again."""

"""Users, their names and passwords."""

"""Commands and what they write to a terminal."""

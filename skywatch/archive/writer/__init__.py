"""Archives whole days, verifies them, deletes what is too old, and decides what retention may delete."""

"""What the first page shows: what is not well, reception over a day, people who are signed in, and room on disk."""

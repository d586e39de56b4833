"""What every page has: layout, notes, problems, wording, and lists over several pages."""

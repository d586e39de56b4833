"""The quality of reception as the API shows it."""

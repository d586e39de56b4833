"""Pages around the console: sign in, set-up, a new password, language, search."""

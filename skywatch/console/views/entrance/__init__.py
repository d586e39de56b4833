"""Pages before the console: sign in, set-up, a new password."""

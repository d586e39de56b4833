"""Logins: how they begin with a password, go on by tokens, and end."""

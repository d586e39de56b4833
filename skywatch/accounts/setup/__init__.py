"""The set-up of a new installation: its first administrator, created with a one-time password."""

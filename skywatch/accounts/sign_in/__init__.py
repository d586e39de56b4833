"""Signing in and out: passwords, refresh, cookies and the hand-over from the console; ``auth/*``."""

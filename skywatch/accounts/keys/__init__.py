"""API keys of users."""

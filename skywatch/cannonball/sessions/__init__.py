"""Sessions, alerts and patterns as a user sees them: REST resources and messages."""

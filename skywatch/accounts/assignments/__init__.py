"""Role assignments: which user has which role, and until when."""

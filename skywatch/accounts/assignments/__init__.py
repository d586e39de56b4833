"""Role assignments: who holds which role, and until when."""

"""From credentials to an identity: who a caller is, and what it may do now."""

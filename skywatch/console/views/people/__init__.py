"""Pages about people: users, roles, keys, access, claim mappings, the audit log."""

"""The audit log as the API shows it."""

"""The audit entry of every write: tables of writes by subject, and of exceptions with their reasons."""

"""The checks behind the health of the service, and its history."""

"""Deliveries: the outbox, workers and their claims, retries, quiet hours, results."""

"""Deliveries: the outbox, workers and their claims, retries, results."""

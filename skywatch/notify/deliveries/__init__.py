"""Deliveries: outbox, workers and their leases, retries, quiet hours, results.

Not here: how a message goes out (`notify/senders`).
"""

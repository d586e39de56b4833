"""Delivery of notifications: channels of users, the outbox of deliveries, and the workers that send them.

Features write notifications into the outbox within their own transaction (``outbox.enqueue``); the package
imports no feature and no HTTP resource. Delivery is at least once; every repetition carries the same message id.
"""

"""Notifications that arrive: channels of users, the outbox of deliveries, and the workers that send them.

Features write notifications into the outbox within their own transaction (``outbox.enqueue``); the room knows no
feature and no HTTP resource. A delivery is made at least once, and whatever repeats it bears the same message id.
"""

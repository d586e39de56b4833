"""Channels of users: rules, queries, a test message.

Not here: sending to one (`notify/senders`), and waiting deliveries (`notify/deliveries`).
"""

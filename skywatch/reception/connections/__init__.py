"""When receivers and feeders were connected: followed in the tracker, and stored.

Not here: the connections themselves (`receivers/feeder_streams`).
"""

"""The role ``ingest``: feeders are accepted, decoded and reduced in processes of their own, any number of them.

Not here: decoding and reducing (`receivers/feeder_streams`).
"""

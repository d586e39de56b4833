"""Where bytes come from: TCP, UDP, files, folders, HTTP.

Not here: what the bytes mean: `receivers/formats`, `acars/envelopes`.
"""

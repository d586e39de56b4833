"""API keys: created by their owner, shown once, stored as a hash, withdrawn.

Not here: a request with a key, which `accounts/identity` resolves.
"""

"""Where a request comes from: address and host, origins, whether it is this machine; its actor in the audit log.

Not here: who it is from (`http/authentication.py`), and how much it may ask (`http/limits`).
"""

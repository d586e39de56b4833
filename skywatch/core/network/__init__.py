"""Addresses of clients and hosts, certificates, and the one HTTP client for calls to others.

Not here: how much a client may ask for (`core/limits.py`, `http/limits`), and inputs (`inputs/transports`).
"""

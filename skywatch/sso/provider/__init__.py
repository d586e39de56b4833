"""The identity provider: settings, metadata, keys, tokens."""

"""Requests to an identity provider: metadata, keys, tokens; `providers` has what the settings say of each."""

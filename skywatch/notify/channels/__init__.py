"""Channels of users: rules, addresses, tests."""

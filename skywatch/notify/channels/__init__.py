"""Channels of users: rules, addresses, browsers, quiet hours, tests."""

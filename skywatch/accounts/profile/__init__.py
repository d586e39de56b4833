"""The caller's own account: name, e-mail address, password, preferences.

Not here: accounts of others (`accounts/users`).
"""

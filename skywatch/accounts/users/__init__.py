"""Users as an administrator manages them: create, find, change, delete, a link to a new password.

Not here: what users do to their own account (`accounts/profile`).
"""

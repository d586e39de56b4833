"""The set-up of a new installation: its first administrator, created with a one-time password.

Not here: signing in afterwards (`accounts/sign_in`), and its page in the console (`console/views/entrance`).
"""

"""Passwords: rules against easy ones, Argon2id hashes, and how many threads may hash at a time.

Not here: the form of sign-in (`accounts/sign_in`), and links to a new password (`accounts/users/resets.py`).
"""

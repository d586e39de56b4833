"""Signing in and out as requests: ``auth/*`` with passwords, cookies, refresh and the hand-over from the console.

Not here: tokens and the rows of logins (`accounts/identity`, `accounts/login_tokens.py`), and identity providers
(`sso`).
"""

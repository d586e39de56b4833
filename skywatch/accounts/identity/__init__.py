"""Who a caller is and what it may do now: tokens, credentials, rights and their cache, asked at every request.

Not here: signing in (`accounts/sign_in`), and the life of a login (`accounts/login_tokens.py`).
"""

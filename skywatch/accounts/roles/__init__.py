"""Roles: which permissions they give.

Not here: who has which role (`accounts/assignments`), and what a permission is (`security/permissions.py`).
"""

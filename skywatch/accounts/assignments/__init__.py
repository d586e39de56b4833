"""Role assignments: which user has which role, and until when.

Not here: what a role gives, which is `accounts/roles`.
"""

"""Authorization: the table of permissions, identities, feature contexts with their ACLs, and the policy.

The same contexts decide for the REST API and for the real-time channel; nothing else decides anywhere.

Not here: who a caller is (`accounts/identity`), and credentials of a request (`http/authentication.py`).
"""

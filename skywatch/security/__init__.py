"""Authorization: the table of permissions, identities, feature contexts with their ACLs, and the policy.

The same contexts decide for the REST API and for the real-time channel; nothing else decides anywhere.
"""

"""The access settings of features: what the installation lets guests and users do in each, and changing it.

Not here: deciding on a request by them (`security`).
"""

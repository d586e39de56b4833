"""The database: engine and sessions, column types, migrations, locks, and what all features store alike.

Not here: writing in the background, retention and the audit log (`core/storage`).
"""

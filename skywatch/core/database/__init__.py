"""The database: engine and sessions, column types, migrations, locks, and what all features store alike."""

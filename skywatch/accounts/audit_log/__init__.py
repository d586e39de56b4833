"""The audit log as the API shows it: search and export.

Not here: writing an entry (`core/storage/audit.py`).
"""

"""Writing in the background: queue, batches, retries; retention, the audit log, and versions of stored state.

Not here: engine, sessions and migrations (`core/database`).
"""

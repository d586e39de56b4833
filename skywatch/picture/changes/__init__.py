"""A sky as its difference from the one before: what travels between processes in most seconds.

Not here: publishing and following it (`picture/distribution`).
"""

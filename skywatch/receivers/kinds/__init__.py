"""The kinds of receivers: one module each with its setting, and what several of them share.

Not here: the formats of their bytes (`receivers/formats`).
"""

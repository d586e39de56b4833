"""The picture as it is saved, so that it survives a restart.

Not here: tracks and flights (`history`).
"""

"""The picture in other processes: published, followed, asked for as a whole, and ageing while the tracker is silent.

Not here: the channel to browsers (`realtime`).
"""

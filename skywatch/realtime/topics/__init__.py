"""What a topic sends: the picture as objects, columns or tiles, event logs, backfill. Knows no connection.

Not here: the bytes of a frame (`realtime/wire`).
"""

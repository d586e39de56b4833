"""Track points as they are stored: the point, its codec, chunks and tail, reading them back, archived days too.

Not here: flights and labels (`history/flights`), and files of the archive (`archive`).
"""

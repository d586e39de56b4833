"""From bursts to messages: the same burst from several stations, repeats, texts in parts; and how they are stored.

Not here: the text of a message (`acars/decoding`), and the queries over stored messages (`acars/search`).
"""

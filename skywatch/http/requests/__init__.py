"""The request: its class, database session, cookies, multipart forms; headers, compression and links of its response.

Not here: the body by a schema (`http/resources`), and tweens (`http/tweens.py`).
"""

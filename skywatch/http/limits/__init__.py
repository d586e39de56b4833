"""How much may be asked of the API: rates, large bodies, streams, slow work.

Not here: the connections of the web server (`serving/web_server`), and shares of people (`core/limits.py`).
"""

"""Web Push: browsers, encryption for one (RFC 8291), the identification of this installation (RFC 8292).

Not here: sending (`notify/senders/web_push.py`).
"""

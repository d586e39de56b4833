"""Subscribers: sessions, commands, subscriptions, the register of all, and the hub that serves them.

Not here: connections and handshakes (`realtime/transports`), and what is sent (`realtime/topics`).
"""

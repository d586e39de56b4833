"""What is on the wire: frames, close codes, messages of each protocol, and the bounded outbox of one subscriber.

Not here: sockets (`realtime/transports`).
"""

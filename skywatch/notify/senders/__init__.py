"""Senders: one module for each kind of channel, with what it needs: signatures, names, child processes.

Not here: when and how often (`notify/deliveries`).
"""

"""Senders: one module for each kind of channel."""

"""Tells other processes and subscribers what was committed, and how this process is."""

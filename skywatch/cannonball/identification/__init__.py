"""Identifies aircraft of law enforcement: rules and tables over names of agencies, callsigns and types.

All of it is public knowledge written down as data; nothing here reads a database or the picture.
"""

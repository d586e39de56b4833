"""Readers of published lists of aircraft, one module for each form.

Each has ``read(table) -> items``; an unreadable line is an item too, with its number and reason.
"""

"""Announced alerts as rows: what is said about one, list, acknowledge, count, and their end with their rule.

Not here: deciding that a rule fires (`alerts/engine`), and flights of the past (`history`).
"""

"""Announced alerts: list, acknowledge and count."""

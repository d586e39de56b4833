"""Minimal applications of other frameworks that return what ours returns."""

"""Receivers that connect to us: who they are, and what each connection sends. Knows neither database nor user."""

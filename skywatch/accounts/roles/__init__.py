"""Roles: which permissions they give."""

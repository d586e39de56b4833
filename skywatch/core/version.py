"""The version of Skywatch, as its package says."""

from __future__ import annotations

from importlib.metadata import version

VERSION = version("skywatch")

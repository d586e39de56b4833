"""Pyramid's ``view_config`` with a type: a view stays what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pyramid.view

View = TypeVar("View", bound=Callable[..., Any])

# The class itself, so that it finds the module that uses it.
view_config: Callable[..., Callable[[View], View]] = pyramid.view.view_config

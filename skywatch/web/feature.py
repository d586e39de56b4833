"""The feature declaration of the web application."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.web.settings import WebSettings

FEATURE = Feature(name="web", settings=WebSettings, include="skywatch.web")

"""The services of the API below ``/api/v1/alerts``, whose paths end with a slash."""

from __future__ import annotations

import functools

from skywatch.http.resources.service import ApiService

AlertService = functools.partial(ApiService, feature="alerts", trailing_slash=True)

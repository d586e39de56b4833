"""The services of the API below ``/api/v1/feeders``, whose paths end with a slash."""

from __future__ import annotations

import functools

from skywatch.http.resources.service import ApiService

FeederService = functools.partial(ApiService, feature="feeders", trailing_slash=True)

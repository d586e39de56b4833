"""The services and resources of the API below ``/api/v1/alerts``, whose paths end with a slash."""

from __future__ import annotations

import functools

from skywatch.http.resources.service import ApiService, api_resource

AlertService = functools.partial(ApiService, feature="alerts", trailing_slash=True)
alert_resource = functools.partial(api_resource, feature="alerts", trailing_slash=True)

"""The services and resources of the API below ``/api/v1/cannonball``, whose paths end with a slash."""

from __future__ import annotations

import functools

from skywatch.http.resources.service import ApiService, api_resource

CannonballService = functools.partial(ApiService, feature="cannonball", trailing_slash=True)
cannonball_resource = functools.partial(api_resource, feature="cannonball", trailing_slash=True)

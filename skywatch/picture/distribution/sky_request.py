"""Requests of an application that has a picture."""

from __future__ import annotations

from skywatch.http.requests.request import Request
from skywatch.picture.state.sky import Sky


class SkyRequest(Request):
    """A request with the picture of the last tick."""

    sky: Sky

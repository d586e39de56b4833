"""Requests of an application that has a picture."""

from __future__ import annotations

from skywatch.http.request import Request
from skywatch.picture.sky import Sky


class SkyRequest(Request):
    """A request with the picture of the last tick."""

    sky: Sky

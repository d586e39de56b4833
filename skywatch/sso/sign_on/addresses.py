"""Where people come back to from an identity provider."""

from __future__ import annotations

from skywatch.http.requests.links import public_address
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.settings import split_listen
from skywatch.sso.redirects import is_loopback


def own_address(request: Request) -> str:
    """The public address of the service, never one that only a ``Host`` header names.

    Without ``base_url``, which production requires, it is the loopback name that the browser used, else ``listen``.
    """
    public = public_address(request)
    if public:
        return public
    if is_loopback(request.host_url):
        reached: str = request.host_url
        return reached + request.path_prefix
    port = split_listen(request.runtime.settings.of(HttpSettings).listen)[1]
    return f"http://127.0.0.1:{port}{request.path_prefix}"

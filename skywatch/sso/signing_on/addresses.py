"""Where people come back to from an identity provider."""

from __future__ import annotations

from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.settings import split_listen
from skywatch.sso.signing_on.redirects import is_loopback


def own_address(request: Request) -> str:
    """The public address of the service, never one that only a ``Host`` header names.

    Without ``base_url``, which production requires, it is the loopback name that the browser used, else ``listen``.
    """
    settings = request.runtime.settings.of(HttpSettings)
    if settings.base_url:
        return settings.base_url.rstrip("/")
    if is_loopback(request.host_url):
        reached: str = request.host_url
        return reached
    port = split_listen(settings.listen)[1]
    return f"http://127.0.0.1:{port}"

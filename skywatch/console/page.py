"""What a page of the console is, as the module of its views declares it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skywatch.security.contexts import IDENTIFIED
from skywatch.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Page:
    """An address below ``/console``. ``feature`` is whose access settings decide; None is the service itself.

    A page with a ``title`` is offered in the navigation, under the heading ``group``, to everybody whom the context
    grants ``permission``; the views of the page ask for theirs themselves.
    """

    route: str
    path: str
    feature: str | None = None
    title: str = ""
    group: str = ""
    permission: str = IDENTIFIED
    # The largest body of its forms (bytes) by the settings, where they have a file; none where they have not.
    upload_bytes: Callable[[Settings], int] | None = None

"""What a page of the console is, and what the two views of a form share, as the module of its views declares them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyramid.config import Configurator

from skywatch.http.requests.view_config import view_config
from skywatch.security.permissions import ViewPermission
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
    permission: str = ViewPermission.IDENTIFIED
    # The largest body of its forms (bytes) by the settings, where they have a file; none where they have not.
    upload_bytes: Callable[[Settings], int] | None = None

    def add_views(self, config: Configurator) -> None:
        """Add the views of a page that declares them; those of other pages are functions with decorators."""


class FormPage:
    """The two views of a page with a form, as decorators: ``get`` shows it, ``post`` takes the form.

    Both render the same template; ``post_permission`` is that of ``post`` where more is needed to change than to look.
    """

    def __init__(self, route: str, template: str, permission: str, *, post_permission: str | None = None) -> None:
        shared = {"route_name": route, "renderer": template}
        self.get = view_config(request_method="GET", permission=permission, **shared)
        self.post = view_config(request_method="POST", permission=post_permission or permission, **shared)

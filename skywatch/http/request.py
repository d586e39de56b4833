"""The class of this application's requests."""

from __future__ import annotations

from pyramid.config import Configurator
from pyramid.interfaces import IRequestExtensions
from pyramid.request import Request


def make_request_class(config: Configurator) -> None:
    """Give requests by their class what the parts have added to them (``config.add_request_method``).

    Pyramid adds it to each request anew, for which it makes a class a request: a seventh of the cost of a small one.
    To be called when every part has been included.
    """
    config.commit()
    extensions = config.registry.getUtility(IRequestExtensions)
    members = {**extensions.methods, **extensions.descriptors}
    extensions.methods.clear()
    extensions.descriptors.clear()
    config.set_request_factory(type("SkywatchRequest", (Request,), members))

"""The templates of the console, made when the first page is shown: most processes show none."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, StrictUndefined, pass_context
from jinja2.runtime import Context
from pyramid.config import Configurator

from skywatch.console.pages.formats import compact, differences, moment, span, time_element
from skywatch.console.pages.layout import SCRIPT_ADDRESS, STYLE_ADDRESS, layout_of
from skywatch.console.routes import HOME, LANGUAGE, MAP, SEARCH, SIGN_IN, SIGN_OUT
from skywatch.console.texts import templating
from skywatch.core.process.version import VERSION


@pass_context
def link(context: Context, address: str) -> str:
    """An address of this service as browsers reach it: below the path prefix; others stay as they are."""
    prefix: str = context["request"].path_prefix
    return prefix + address if address.startswith("/") else address


@cache
def environments(has_web: bool) -> dict[str, Environment]:
    """Language -> the templates by their bare names, and what all of them use."""
    config = Configurator(package="skywatch.console")
    config.include("pyramid_jinja2")
    config.add_jinja2_search_path("skywatch.console:templates")
    config.commit()
    environment = config.get_jinja2_environment()
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.undefined = StrictUndefined
    environment.filters.update(link=link, compact=compact, differences=differences)
    environment.filters.update(
        moment=templating.in_language(time_element),
        moment_text=templating.in_language(moment),
        span=templating.in_language(span),
    )
    environment.globals.update(layout_of=layout_of, version=VERSION, style=STYLE_ADDRESS, script=SCRIPT_ADDRESS)
    environment.globals.update(home=HOME, sign_in=SIGN_IN, sign_out=SIGN_OUT, map_address=MAP, has_web=has_web)
    environment.globals.update(language_choice=LANGUAGE, search_address=SEARCH)
    templating.equip(environment)
    return templating.environments(environment)

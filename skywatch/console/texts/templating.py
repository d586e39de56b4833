"""What templates write texts with: ``_`` and ``html`` for texts, ``sentence`` for what the service says, numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from skywatch.console.texts.catalogue import NAMES, Catalogue, catalogues
from skywatch.console.texts.numbers import write_size
from skywatch.core.problems import Problem


def _catalogue(context: Context) -> Catalogue:
    return catalogues()[context["request"].locale_name]


@pass_context
def text(context: Context, english: str, **values: Any) -> str:
    """A text; the template escapes it with its values."""
    return catalogues()[context["request"].locale_name].text(english, **values)


@pass_context
def html(context: Context, english: str, **values: Any) -> Markup:
    """A text with elements in it; its values are escaped."""
    escaped = {name: value if type(value) is int else escape(value) for name, value in values.items()}
    return Markup(_catalogue(context).text(english, **escaped))  # noqa: S704


@pass_context
def sentence(context: Context, english: Any) -> str:
    """A sentence or a word of the service; what the catalogue does not have stays as it is."""
    return _catalogue(context).sentence(str(english))


def in_language(write: Callable[[Any], str]) -> Callable[[Context, Any], str]:
    """A filter that writes a value; where there is none, the word for that is translated."""

    @pass_context
    def written(context: Context, value: Any) -> str:
        return write(value) if value is not None else sentence(context, write(None))

    return written


def begin(text: str) -> str:
    """A text with a capital at its beginning, for one that begins a line."""
    return text[:1].upper() + text[1:]


@pass_context
def number(context: Context, value: float, digits: int = 0) -> str:
    """A number as the language writes it."""
    return _catalogue(context).number(value, digits)


@pass_context
def size(context: Context, count: float) -> str:
    """A number of bytes as the language writes it."""
    return write_size(count, _catalogue(context).language)


@pass_context
def problem_text(context: Context, problem: Problem) -> str:
    """What is wrong, in a sentence: the detail where the catalogue has it, else the text of the error's code."""
    catalogue = _catalogue(context)
    detail = problem.detail
    if catalogue.language == "en":
        return detail
    is_default = detail.rstrip(".") == problem.kind.title
    return (
        (None if is_default else catalogue.known_sentence(detail))
        or catalogue.problem(problem.kind.code, detail)
        or catalogue.sentence(detail)
    )


@pass_context
def field_fault(context: Context, detail: str) -> str:
    """What is wrong with a field."""
    return _catalogue(context).field_fault(detail)


def equip(environment: Environment) -> None:
    """Give the templates of an environment their texts."""
    environment.globals.update(_=text, html=html, languages=NAMES)
    environment.filters.update(
        sentence=sentence, begin=begin, number=number, size=size, problem_text=problem_text, field_fault=field_fault
    )

"""What templates write texts with: ``_`` and ``html`` for texts, ``sentence`` for what the service says, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jinja2 import Environment, pass_context
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context
from markupsafe import Markup, escape

from skywatch.console.texts.catalogue import LANGUAGES, NAMES, Catalogue, catalogues
from skywatch.console.texts.numbers import write_size
from skywatch.core.problems import Problem
from skywatch.sentences import reworded

# A text without values, ``_("text")``.
CONSTANT = ("name", "lparen", "string", "rparen")


class Constants(Extension):
    """Reads texts without values as what they are in the ``language`` of the environment, once for all renderings.

    A large table has a thousand of them.
    """

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """The tokens of a template, with strings in the place of calls."""
        catalogue = catalogues()[self.environment.language]  # type: ignore[attr-defined]
        tokens = list(stream)
        at = 0
        while at < len(tokens):
            token, following = tokens[at], tokens[at : at + len(CONSTANT)]
            if token.value == "_" and tuple(one.type for one in following) == CONSTANT:
                yield Token(token.lineno, "string", catalogue.text(following[2].value))
                at += len(CONSTANT)
            else:
                yield token
                at += 1


def environments(environment: Environment) -> dict[str, Environment]:
    """Language -> an environment as the given one, in which templates are compiled in that language."""
    overlays = {}
    for language in LANGUAGES:
        overlays[language] = environment.overlay(extensions=[Constants])
        overlays[language].extend(language=language)
    return overlays


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
    """What is wrong, in a sentence."""
    return _catalogue(context).sentence(problem.sentence)


@pass_context
def member_text(context: Context, holder: Any, member: str) -> str:
    """The text of a member of a document or an object, by the code and the parameters beside it."""
    text, code, params = (
        holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
        for name in (member, f"{member}_code", f"{member}_params")
    )
    return _catalogue(context).sentence(reworded(text or "", code, params))


def equip(environment: Environment) -> None:
    """Give the templates of an environment their texts."""
    environment.globals.update(_=text, html=html, languages=NAMES)
    environment.filters.update(
        sentence=sentence, begin=begin, number=number, size=size, problem_text=problem_text, member_text=member_text
    )

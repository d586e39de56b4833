"""Regular expressions of users: compiled once, shared, and bounded."""

from __future__ import annotations

import gc
import weakref

import pytest
import re2

from skywatch.core.text import expressions as module
from skywatch.core.text.expressions import CACHED, ExpressionCache, ExpressionFault


@pytest.fixture
def cache():
    return ExpressionCache()


def test_the_same_text_is_compiled_once_and_shared(cache):
    one, other = (cache.get("^SWR[0-9]+$", ignores_case=True) for _ in range(2))
    assert one is other
    assert cache.compilations == 1
    assert cache.get("^SWR[0-9]+$", ignores_case=False) != one
    assert cache.compilations == 2


def test_case_counts_or_not(cache):
    assert cache.get("swr", ignores_case=True).matches("SWR12")
    assert not cache.get("swr", ignores_case=False).matches("SWR12")
    assert cache.get("tower", ignores_case=False).matches("the tower")


@pytest.mark.deep("costs over a processor second")
def test_the_least_recently_used_one_goes_by_count():
    cache = ExpressionCache(most=2)
    for text in ("a", "b", "a", "c"):
        cache.get(text, ignores_case=True)
    assert len(cache) == 2
    gc.collect()
    cache.get("a", ignores_case=True)
    assert cache.compilations == 3
    cache.get("b", ignores_case=True)
    assert cache.compilations == 4


def test_the_cache_is_bounded_by_memory():
    cache = ExpressionCache(most_bytes=300_000)
    for number in range(20):
        cache.get(rf"{number}\pL\pL", ignores_case=True)
    assert 0 < cache.size <= 300_000
    assert len(cache) < 5


def test_what_is_in_use_is_shared_although_it_left_the_cache():
    cache = ExpressionCache(most=1)
    used = cache.get("a", ignores_case=True)
    cache.get("b", ignores_case=True)
    assert cache.get("a", ignores_case=True) is used


def test_a_refusal_is_remembered_too(cache):
    for _ in range(3):
        with pytest.raises(ExpressionFault, match="is not a regular expression that RE2 takes"):
            cache.get("(", ignores_case=True)
    assert cache.compilations == 1


@pytest.mark.deep("costs over a processor second")
def test_a_refusal_that_is_remembered_keeps_nothing_of_who_asked(cache):
    """Its traceback kept the frames of the whole call, and with them the request."""

    class Caller:
        pass

    def ask():
        caller = Caller()
        for text in ("(", "\ud800"):
            try:
                cache.get(text, ignores_case=True)
            except ExpressionFault:
                continue
            raise AssertionError(text)
        return weakref.ref(caller)

    asked = ask()
    gc.collect()
    assert len(cache) == 2
    assert asked() is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must not be empty"),
        ("x" * 501, "at most 500 characters"),
        (r"\pL" * 5, "has 5 Unicode classes"),
        (r"\PL" * 166, "has 166 Unicode classes"),
        ("x{0,999}" * 2, "of 1998 in all"),
        ("x{600}y{401,}", "of 1001 in all"),
    ],
)
def test_what_is_dear_is_refused_before_it_is_compiled(cache, text, words):
    with pytest.raises(ExpressionFault, match=words):
        cache.get(text, ignores_case=True)
    assert cache.compilations == 0


@pytest.mark.parametrize(
    "text", [r"\\pL" * 9, r"\pL{2}\pN?", "x{999}", "[A-Z]{3}[0-9]{1,4}", ".*ENG(INE)? *(FAIL|FIRE).*", "{,9}"]
)
def test_what_people_write_is_accepted(cache, text):
    assert cache.get(text, ignores_case=True).text == text


def test_an_expression_that_needs_much_memory_is_refused(cache):
    with pytest.raises(ExpressionFault, match="needs more than 128 kB"):
        cache.get(r"(\pL\pN){29}N", ignores_case=True)


def test_a_lone_surrogate_is_refused(cache):
    with pytest.raises(ExpressionFault, match="surrogate"):
        cache.get("\ud800", ignores_case=True)


def test_the_library_keeps_nothing(cache):
    for number in range(10):
        cache.get(f"x{number}", ignores_case=True)
    assert re2._Regexp._make.cache_info().currsize == 0


def test_others_have_the_lock_of_the_interpreter_after_a_long_compilation(cache, monkeypatch):
    rests: list[float] = []
    monkeypatch.setattr(module.time, "sleep", rests.append)
    monkeypatch.setattr(module, "SLOW_S", 0.0)
    cache.get("x", ignores_case=True)
    cache.get("x", ignores_case=True)
    assert len(rests) == 1
    assert 0 < rests[0] <= module.MAX_REST_S


def test_the_estimate_of_memory_grows_with_the_program(cache):
    small, large = (cache.get(text, ignores_case=True).size for text in ("x", r"\pL\pL\pL"))
    assert 2_000 < small < 5_000
    assert large > 100_000
    assert small * CACHED < module.CACHED_BYTES

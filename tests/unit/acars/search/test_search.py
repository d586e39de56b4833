"""The grammar of ``q``, and the same answers from both databases."""

import pytest
import sqlalchemy as sa

from skywatch.acars.models import AcarsMessage
from skywatch.acars.search.full_text import BLOCK_BITS, identifiers
from skywatch.acars.search.search import parse, words_of
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing

TEXTS = [
    "POSITION REPORT KSEA KPDX FL370",
    "WEATHER KSEA wind 270",
    "weather kpdx: snow, -5",
    "ETA KPDX 1015",
    "position of gate A12",
    "35N 106W test_value x'y",
    "fuel at gate, at gate B2",
]
QUERIES = [
    ("weather", {1, 2}),
    ("WEATHER ksea", {1}),
    ('"position report"', {0}),
    ('"report position"', set()),
    ("posit*", {0, 4}),
    ("weather -ksea", {2}),
    ("eta OR gate", {3, 4, 6}),
    ("eta or gate", set()),
    ("kpdx weather OR gate", {2, 4, 6}),
    ("-weather", set()),
    ("-weather OR eta", {3}),
    ("x'y", {5}),
    ("test_value", {5}),
    ("a12", {4}),
    ('"', set()),
    ("*", set()),
    ("OR", set()),
    ("NEAR(ksea, 2)", set()),
    ("search_text:eta", set()),
    ("& | ! <->", set()),
    ("weather'; DROP TABLE users --", set()),
    ("sno*", {2}),
    ('"at gate"', {6}),
    ('"fuel at gate b2"', set()),
    ('"gate at gate"', {6}),
    ('"at gate b"', set()),
    ("at-gate-b*", {6}),
    ('gate -"gate at gate"', {4}),
    ('gate -"fuel at gate b2"', {4, 6}),
    ('gate -"at gate"', {4}),
    ('"fuel at gate b2" OR "position of gate"', {4}),
]


def message(text, **kw):
    return AcarsMessage(
        at=utcnow(), received_at=utcnow(), source="acars", station="A", label="H1", text=text, incomplete=False,
        heard_by=[], repeats=0, military=False, search_text=words_of(text), raw={}, **kw,
    )  # fmt: skip


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    factory = create_session_factory(engine)
    with writing(factory) as session:
        for text in TEXTS:
            session.add(message(text))
    yield factory
    engine.dispose()


def test_every_query_finds_the_same_on_both_databases(sessions):
    with sessions() as session:
        texts = dict(session.execute(sa.select(AcarsMessage.id, AcarsMessage.text)).all())
        for query, expected in QUERIES:
            found = identifiers(session, sa.select(AcarsMessage), parse(query), None, 100)
            assert {TEXTS.index(texts[one]) for one in found} == expected, query
            assert found == sorted(found, reverse=True)
            condition = sa.select(AcarsMessage).where(AcarsMessage.military.is_(False))
            assert identifiers(session, condition, parse(query), None, 100) == found
            assert identifiers(session, condition, parse(query), None, 100, is_narrow=True) == found


def test_the_newest_are_found_first_in_every_block_of_identifiers(sessions):
    """What is found must not depend on where a block ends, and which index it is found in."""
    numbers = [1, 5, *(n << BLOCK_BITS for n in (1, 2, 3, 12, 80, 300)), (1 << BLOCK_BITS) + 1, (300 << BLOCK_BITS) + 7]
    with writing(sessions) as session:
        session.execute(sa.delete(AcarsMessage))
        for number in numbers:
            session.add(message("BLOCK TEST", id=number))
    newest = sorted(numbers, reverse=True)
    with sessions() as session:
        for limit in (1, 3, 10):
            for before in (None, newest[2], newest[-1]):
                expected = [number for number in newest if before is None or number < before][:limit]
                assert identifiers(session, sa.select(AcarsMessage), parse('"block te*'), before, limit) == []
                for query in ("test", "te*", "b* t*", "block-te*", "-x* test OR tes*", " OR ".join(["t*"] * 30)):
                    assert identifiers(session, sa.select(AcarsMessage), parse(query), before, limit) == expected


def test_the_index_of_postgresql_keeps_no_pending_entries(sessions):
    """Each of hundreds of blocks would read them: seconds for a rare word."""
    with sessions() as session:
        if session.get_bind().dialect.name == "sqlite":
            return
        options = "SELECT reloptions FROM pg_class WHERE relname = 'ix_acars_messages_words'"
        assert session.scalar(sa.text(options)) == ["fastupdate=off"]


def test_a_text_that_changes_or_goes_is_found_no_more(sessions):
    with writing(sessions) as session:
        row = session.scalars(sa.select(AcarsMessage).where(AcarsMessage.text == TEXTS[3])).one()
        row.search_text = words_of("ARRIVED")
        session.delete(session.scalars(sa.select(AcarsMessage).where(AcarsMessage.text == TEXTS[4])).one())
    with sessions() as session:
        for query, count in (("eta", 0), ("arrived", 1), ("a12", 0), ('"of gate"', 0)):
            assert len(identifiers(session, sa.select(AcarsMessage), parse(query), None, 9)) == count


@pytest.mark.parametrize("text", ["x" * 201, "a\0b"])
def test_what_is_too_long_or_holds_nul_is_refused(text):
    with pytest.raises(ValueError, match="must"):
        parse(text)

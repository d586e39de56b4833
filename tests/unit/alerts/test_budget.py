"""Budgets of regular expressions: of a rule, and of the stored rules of a user."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from skywatch.alerts.conditions import budget
from skywatch.alerts.conditions.tree import Conditions, ConditionsFault, parse, tree_of
from skywatch.alerts.tracker import rule_parser
from skywatch.alerts.tracker.rule_parser import RuleParser
from skywatch.core.text.expressions import ExpressionCache


@pytest.fixture(autouse=True)
def expressions(monkeypatch):
    """A cache of this test's own."""
    cache = ExpressionCache()
    monkeypatch.setattr("skywatch.alerts.conditions.values.expressions", cache)
    return cache


def document(*texts):
    return {"any": [{"not": {"field": "flight", "op": "matches", "value": text}} for text in texts]}


def row(number, *texts, user=1, revision=1):
    return SimpleNamespace(id=number, revision=revision, user_id=user, conditions=document(*texts))


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([f"few{i}" for i in range(21)], "holds 21 tests with matches; at most 20 are allowed"),
        ([f"{i}" + "x" * 450 for i in range(10)], "regular expressions of 4510 bytes in all; at most 4096"),
        (["é" * 300 + f"{i}" for i in range(8)], "regular expressions of 4808 bytes in all"),
    ],
)
def test_a_rule_beyond_its_budget_is_refused_and_nothing_is_compiled(texts, words, expressions):
    before = expressions.compilations
    node, faults = parse(document(*texts))
    assert node is None
    assert words in faults["conditions"]
    assert expressions.compilations == before


def test_other_faults_are_named_with_the_budget():
    broken = {"all": [document(*map(str, range(21))), {"field": "nothing", "op": "eq", "value": 1}]}
    assert set(parse(broken)[1]) == {"conditions", "conditions.all.1.field"}


def test_the_largest_rule_is_accepted():
    node, faults = parse(document(*(f"{i:03d}" + "y" * 201 for i in range(20))))
    assert (node is not None, faults) == (True, {})


def test_a_refused_expression_is_named_by_its_place():
    faults = parse(document("ok", r"(\pL\pN){29}N"))[1]
    assert "needs more than 128 kB" in faults["conditions.any.1.not.value"]


def test_texts_are_counted_in_a_document_with_faults_and_of_any_depth():
    deep = {"field": "flight", "op": "matches", "value": "x"}
    for _ in range(5_000):
        deep = {"not": deep}
    assert budget.texts_of(deep) == ["x"]
    assert budget.texts_of([None, {"all": 7}, {"op": "matches", "value": 7}, {"op": ["matches"]}]) == []


def test_conditions_travel_with_what_they_were_parsed_to():
    one = Conditions.of(document("a"))
    assert one.tree is one.node
    assert one.document == document("a")
    assert one == Conditions.of(document("a")) != Conditions.of(document("b"))
    refused = Conditions.of({"field": "nothing"})
    assert refused.faults["conditions.field"] == "'nothing' is not a field"
    with pytest.raises(ConditionsFault, match="conditions"):
        refused.tree  # noqa: B018
    with pytest.raises(ConditionsFault, match="conditions: holds 30 tests"):
        tree_of(document(*map(str, range(30))))


def test_a_stored_rule_beyond_the_budget_is_not_compiled_and_says_why(expressions):
    before = expressions.compilations
    rows = [row(1, *(rf"(\pL\pN){{29}}N{i}" for i in range(100))), row(2, "^budget-a$")]
    result = RuleParser().parse(rows)
    assert result[1, 1].node is None
    assert "holds 100 tests with matches" in result[1, 1].fault
    assert result[2, 1].node is not None
    assert expressions.compilations == before + 1


def test_a_rule_is_parsed_once_for_each_revision():
    parser = RuleParser()
    first = parser.parse([row(1, "^rev$")])[1, 1]
    assert parser.parse([row(1, "^rev$")])[1, 1] is first
    assert parser.parse([row(1, "^rev$", revision=2)])[1, 2] is not first


def test_the_text_of_a_users_rules_is_bounded_the_oldest_first():
    rows = [row(number, *(f"{number}t{i}" + "z" * 190 for i in range(20))) for number in range(1, 12)]
    parser = RuleParser()
    result = parser.parse([*rows, row(12, "^small$"), row(13, "^other$", user=2)])
    in_force = {number for (number, _), one in result.items() if one.node is not None}
    assert in_force == {1, 2, 3, 4, 5, 6, 7, 8, 12, 13}
    assert "more than 32768 bytes in all" in result[9, 1].fault
    # A rule is deleted: the next one is in force.
    again = parser.parse([*rows[1:], row(12, "^small$")])
    assert again[9, 1].node is not None
    assert again[10, 1].node is None


def test_the_memory_of_a_users_rules_is_bounded(monkeypatch, expressions):
    monkeypatch.setattr(rule_parser, "_MEMORY", 500_000)
    rows = [row(number, rf"{number}m\pL\pL\pL") for number in range(1, 50)]
    parser = RuleParser()
    before = expressions.compilations
    result = parser.parse(rows)
    in_force = [number for (number, _), one in result.items() if one.node is not None]
    assert in_force == [1, 2, 3]
    assert "need more than" in result[4, 1].fault
    # Not all others are tried.
    tried = expressions.compilations - before
    assert tried < 12
    parser.parse(rows)
    assert expressions.compilations - before <= tried + 1
    assert parser.parse(rows[2:])[4, 1].node is not None


def test_the_same_expressions_in_many_rules_count_once(expressions):
    texts = [f"same{i}" + "s" * 190 for i in range(20)]
    before = expressions.compilations
    result = RuleParser().parse([row(number, *texts) for number in range(1, 101)])
    assert all(one.node is not None for one in result.values())
    assert expressions.compilations == before + 20

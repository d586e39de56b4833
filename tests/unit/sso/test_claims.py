"""Claim mappings as pure rules."""

import time

import pytest

from skywatch.sso.claims import Rule, compile_pattern, is_match, matching, try_rules, values_of

CLAIMS = {
    "groups": ["tower", "night-shift"],
    "department": "Flight Operations",
    "realm_access": {"roles": ["offline_access", "skywatch-admin"]},
    "https://example.org/roles": ["namespaced"],
    "level": 3,
    "staff": True,
    "nothing": None,
    "nested": {"a": {"b": {"c": "deep"}}},
    "objects": [{"name": "tower"}, ["tower"], None, "plain"],
}


@pytest.mark.parametrize(
    ("claim_name", "match_type", "claim_value", "expected"),
    [
        ("groups", "exact", "tower", True),
        ("groups", "exact", "Tower", False),
        ("groups", "exact", "tow", False),
        ("groups", "contains", "night", True),
        ("groups", "contains", "tower,night", False),
        ("groups", "regex", "^night-.*$", True),
        ("groups", "regex", "^shift", False),
        ("groups", "regex", "(?i)TOWER", True),
        ("department", "exact", "Flight Operations", True),
        ("department", "contains", "Oper", True),
        ("realm_access.roles", "exact", "skywatch-admin", True),
        ("realm_access.roles", "regex", "^skywatch-", True),
        ("realm_access", "contains", "skywatch", False),
        ("https://example.org/roles", "exact", "namespaced", True),
        ("nested.a.b.c", "exact", "deep", True),
        ("nested.a.x.c", "exact", "deep", False),
        ("groups.tower", "exact", "tower", False),
        ("level", "exact", "3", True),
        ("staff", "exact", "true", True),
        ("nothing", "exact", "None", False),
        ("absent", "regex", ".*", False),
        ("objects", "exact", "plain", True),
        ("objects", "contains", "tower", False),
    ],
)
def test_a_rule_compares_what_the_claim_says(claim_name, match_type, claim_value, expected):
    assert is_match(Rule("r", claim_name, match_type, claim_value, "viewer"), CLAIMS) is expected


def test_every_rule_that_matches_gives_its_role_the_highest_priority_first():
    rules = [
        Rule("low", "groups", "exact", "tower", "viewer", 1),
        Rule("high", "groups", "contains", "shift", "operator", 9),
        Rule("none", "groups", "exact", "absent", "admin", 99),
        Rule("elsewhere", "groups", "exact", "tower", "admin", 5, provider="other"),
        Rule("here", "groups", "exact", "tower", "analyst", 5, provider="default"),
    ]
    assert [rule.name for rule in matching(rules, CLAIMS, "default")] == ["high", "here", "low"]


def test_what_a_provider_sends_beyond_measure_is_not_looked_at():
    assert len(values_of({"groups": [str(n) for n in range(100_000)]}, "groups")) == 2000
    assert values_of({"groups": ["x" * 1001, "short"]}, "groups") == ["short"]


def test_a_pattern_that_explodes_elsewhere_takes_no_time():
    began = time.process_time()
    rule = Rule("r", "groups", "regex", "^(a+)+$", "viewer")
    assert not is_match(rule, {"groups": ["a" * 900 + "!"] * 200})
    # A backtracking engine would not see the end of the first of these.
    assert time.process_time() - began < 10


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a**", r"(a)\1", "(?=x)", "(?P<n"])
def test_a_pattern_that_is_none_says_why(pattern):
    with pytest.raises(ValueError, match="is not a regular expression"):
        compile_pattern(pattern)


def test_a_stored_expression_beyond_the_limits_matches_nothing_and_says_why():
    large = Rule("large", "groups", "regex", r"(\pL\pN){29}N|.*", "admin")
    dear = Rule("dear", "groups", "regex", r"\pL" * 9 + "|.*", "admin")
    fine = Rule("fine", "groups", "regex", "^night-", "viewer")
    assert [rule.name for rule in matching([large, dear, fine], CLAIMS, "default")] == ["fine"]
    faults = {tried.rule.name: tried.fault for tried in try_rules([large, dear, fine], CLAIMS, "default", "").rules}
    assert "needs more than 128 kB" in faults["large"]
    assert "has 9 Unicode classes" in faults["dear"]
    assert faults["fine"] == ""

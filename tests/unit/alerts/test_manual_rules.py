"""Every rule that the manual shows can be created as it stands."""

import json
import re

import pytest

from skywatch.alerts.conditions.fields import OPS, all_fields
from skywatch.alerts.rules.schemas import NewRule
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "alerts.md").read_text(encoding="utf-8")
RULES = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize("rule", RULES, ids=[rule["name"] for rule in RULES])
def test_a_rule_of_the_manual(rule):
    assert NewRule().deserialize(rule)["conditions"].document == rule["conditions"]


def test_ten_rules_are_worked_out():
    assert len(RULES) == 11


def test_every_field_and_op_is_in_the_manual():
    assert not {name for name in all_fields() if f"`{name}`" not in PAGE}
    assert not {op for ops in OPS.values() for op in ops if f"`{op}`" not in PAGE}

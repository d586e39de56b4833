"""The web application's editor of rules offers the fields and ops that the service takes, all of them."""

from __future__ import annotations

import json

from skywatch.alerts.conditions.classes import CLASSES
from skywatch.alerts.conditions.fields import OPS, all_fields
from tests.conftest import ROOT

FIELDS = all_fields()
WEB = ROOT / "web" / "src"


def test_the_editor_of_rules_offers_every_field_and_op():
    offered = json.loads((WEB / "pages" / "alerts" / "fields.json").read_text(encoding="utf-8"))
    assert {name: one["kind"] for name, one in offered["fields"].items()} == {n: f.kind for n, f in FIELDS.items()}
    assert sorted(name for group in offered["groups"].values() for name in group) == sorted(FIELDS)
    assert {name for name, one in offered["fields"].items() if one.get("details")} == {
        name for name, field in FIELDS.items() if field.details
    }
    assert {name for name, one in offered["fields"].items() if one.get("text")} == {
        name for name, field in FIELDS.items() if field.permission
    }
    assert offered["ops"] == {kind.value: list(ops) for kind, ops in OPS.items()}
    assert offered["classes"] == list(CLASSES)


def test_every_field_op_and_class_has_a_name_in_each_language():
    texts = json.loads((WEB / "i18n" / "texts.json").read_text(encoding="utf-8"))
    names = [f"field.{name}" for name in FIELDS] + [f"kind.{name}" for name in CLASSES]
    names += [f"op.{op}" for ops in OPS.values() for op in ops]
    assert [name for name in names if len(texts.get(name, [])) != 4] == []

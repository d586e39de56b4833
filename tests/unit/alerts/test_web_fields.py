"""The web application's editor of rules offers the fields and ops that the service takes, all of them."""

from __future__ import annotations

import json

from skywatch.alerts.conditions.classes import CLASSES
from skywatch.alerts.conditions.fields import ALL_OPS, OPS, all_fields
from skywatch.alerts.conditions.tree import parse
from skywatch.notify.vocabulary import PRIORITIES
from skywatch.security.permissions import Permission
from tests.web_texts import WEB, all_texts

FIELDS = all_fields()


def fields_of_features():
    """Fields that other features add to those of the editor."""
    files = sorted(WEB.glob("features/*/rule_fields.json"))
    assert files
    return {name: one for file in files for name, one in json.loads(file.read_text(encoding="utf-8")).items()}


def needing(fields, permission):
    """Names of the fields that are offered with a permission only."""
    return {name for name, one in fields.items() if one.get("needs") == permission}


def test_the_editor_of_rules_offers_every_field_and_op():
    offered = json.loads((WEB / "features" / "alerts" / "rules" / "fields.json").read_text(encoding="utf-8"))
    added = fields_of_features()
    fields = {**offered["fields"], **added}
    assert {name: one["kind"] for name, one in fields.items()} == {n: f.kind for n, f in FIELDS.items()}
    assert {one["group"] for one in added.values()} <= set(offered["groups"])
    assert sorted([name for group in offered["groups"].values() for name in group] + list(added)) == sorted(FIELDS)
    assert needing(fields, "aircraft.view_details") == {name for name, field in FIELDS.items() if field.details}
    for permission in {field.permission for field in FIELDS.values() if field.permission}:
        assert needing(fields, permission) == {n for n, field in FIELDS.items() if field.permission == permission}
    few = {name: list(field.few_ops) for name, field in FIELDS.items() if field.few_ops}
    assert {name: one["ops"] for name, one in added.items() if "ops" in one} == few
    assert offered["ops"] == {kind.value: list(ops) for kind, ops in OPS.items()}
    assert offered["classes"] == list(CLASSES)


def test_the_service_takes_every_ready_made_rule_and_each_has_its_texts():
    file = WEB / "features" / "alerts" / "rules" / "ready_made.json"
    rules = json.loads(file.read_text(encoding="utf-8"))
    assert set(rules) == {"emergency", "military", "low", "helicopter", "watched"}
    texts = all_texts()
    for name, rule in rules.items():
        assert rule["priority"] in PRIORITIES
        assert rule.get("needs", Permission.AIRCRAFT_VIEW) in set(Permission)
        node, faults = parse(rule["conditions"])
        # What a person is to type is all that is missing.
        assert list(faults) == (["conditions.any.0.value"] if name == "watched" else []), name
        assert (node is None) == (name == "watched")
        assert {f"ready.{name}", f"ready.{name}_hint"} <= set(texts)


def test_every_field_op_and_class_has_a_name_in_each_language():
    texts = all_texts()
    names = [f"field.{name}" for name in FIELDS] + [f"kind.{name}" for name in CLASSES]
    names += [f"op.{op}" for op in ALL_OPS]
    assert [name for name in names if len(texts.get(name, [])) != 4] == []

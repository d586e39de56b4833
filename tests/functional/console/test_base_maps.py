"""Named base maps: added, changed and removed in the console, those of the ini file listed and left alone."""

import re

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.web.settings import WebSettings
from tests.functional.console.test_maps import built, page_of
from tests.functional.console.visitor import alert, find_form, note, populate

__all__ = ["built"]
TOPO = "https://{a-c}.topo.example/{z}/{x}/{y}.png"
NEW = "/maps/base-map"


def row_of(visitor, name):
    """The row of a base map in the list, as text; None where there is none."""
    found = visitor.get("/maps").html.find(id=f"field-base_map.{name}")
    return None if found is None else " ".join(found.text.split())


def add(visitor, name, address, attribution="", status=303):
    return send_form(visitor.get(NEW), status, name=name, address=address, attribution=attribution)


def send_form(page, status=303, do="save", **fields):
    form = next(form for form in page.forms.values() if "do" in form.fields and form["do"].value_if_submitted() == do)
    for name, value in fields.items():
        form[name] = value
    return form.submit("do", value=do, headers={"Origin": "http://localhost"}, status=status)


def fault(page, field):
    return page.html.find(id=f"about-{field}").find(class_="fault").text


def test_a_base_map_is_added_changed_and_removed_without_a_restart(built, root):
    page = add(root, "Night  chart", TOPO, "© Topo https://topo.example").follow()
    assert "night_chart is saved." in note(page)
    text, policy = page_of(root)
    assert f'"name": "night_chart", "kind": "tiles", "address": "{TOPO}", "attribution": "© Topo' in text
    assert "https://b.topo.example" in policy
    assert f"night_chart {TOPO} © Topo https://topo.example Edit" == row_of(root, "night_chart")
    edit = root.client.get(page.html.find("a", string="Edit")["href"])
    send_form(edit, address="https://house.example/swiss.pmtiles", attribution="")
    text, policy = page_of(root)
    assert '"kind": "archive", "address": "https://house.example/swiss.pmtiles", "attribution": ""' in text
    assert "topo.example" not in policy
    assert "is removed." in note(send_form(root.get(f"{NEW}?name=night_chart"), do="remove").follow())
    assert "house.example" not in "".join(page_of(root))
    assert row_of(root, "night_chart") is None
    with root.runtime.sessions() as session:
        rows = session.scalars(sa.select(AuditEntry).where(AuditEntry.target_id == "base_map.night_chart"))
        values = [(entry.action, entry.actor_name, (entry.after or {}).get("value")) for entry in rows]
    assert values == [
        ("setting.changed", "superadmin", f"{TOPO} © Topo https://topo.example"),
        ("setting.changed", "superadmin", "https://house.example/swiss.pmtiles"),
        ("setting.changed", "superadmin", None),
    ]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "must begin with an address"),
        ("topo.example/{z}/{x}/{y}.png", "http or https address"),
        ("https://me:secret@topo.example/{z}/{x}/{y}.png", "without credentials"),
        ("https://topo.example/{z}/{x}.png", "must hold {z} {x} {y}"),
        ("https://topo.example/{s}/{z}/{x}/{y}.png", "holds {s}, which stands for nothing here"),
        ("https://{s}.topo.example/{z}/{x}/{y}.png", "at most with one range such as {a-c}"),
        ("https://{a-c.topo.example/{z}/{x}/{y}.png", "at most with one range such as {a-c}"),
        ("https://{a-b}.t{0-3}.example/{z}/{x}/{y}.png", "at most with one range such as {a-c}"),
        ("https://t{0-99}.example/{z}/{x}/{y}.png", "at most with one range such as {a-c}"),
        ("https://карты.example/{z}/{x}/{y}.png", "at most with one range such as {a-c}"),
        ("https://{a-b}.topo.example/a.pmtiles", "must name one host"),
        ("https://topo.example/{z}/{x}/{y}{r}.png", "holds {r}"),
        ("https://topo.example/{z}/{x}/{y}.png ;script-src *", "must not hold spaces"),
        ("ftp://topo.example/a.pmtiles", "http or https address"),
    ],
)
def test_an_address_is_refused_at_its_field_and_what_was_typed_stays(root, address, words):
    page = add(root, "topo", address, "© Topo", status=400)
    assert words in fault(page, "address")
    form = find_form(page, name="topo")
    assert (form["address"].value, form["attribution"].value) == (address, "© Topo")
    assert root.runtime.current.of(WebSettings).base_maps == {}


@pytest.mark.parametrize("name", ["", "Österreich", "7th", "region", "n" * 33])
def test_a_name_is_refused_at_its_field(root, name):
    assert fault(add(root, name, TOPO, status=400), "name")
    assert root.runtime.current.of(WebSettings).base_maps == {}


def test_a_name_is_there_once_and_so_many_maps_at_most(root, monkeypatch):
    monkeypatch.setattr("skywatch.console.views.service.base_maps.MOST", 2)
    add(root, "one", TOPO)
    assert "already in use" in fault(add(root, "One", TOPO, status=400), "name")
    add(root, "two", TOPO)
    assert "There are 2 base maps already" in alert(add(root, "three", TOPO, status=409))
    send_form(root.get(f"{NEW}?name=two"), attribution="Somebody")


def test_a_refusal_is_in_the_readers_language(root):
    page = root.get(NEW, headers={"Accept-Language": "de"})
    form = next(form for form in page.forms.values() if "address" in form.fields)
    form["name"], form["address"] = "topo", "https://topo.example/{s}/{z}/{x}/{y}.png"
    headers = {"Origin": "http://localhost", "Accept-Language": "de"}
    page = form.submit("do", value="save", headers=headers, status=400)
    assert "enthält {s}, das hier für nichts steht" in fault(page, "address")


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(root):
    add(root, "topo", TOPO)
    opened = root.get(f"{NEW}?name=topo")
    send_form(root.get(f"{NEW}?name=topo"), attribution="© First")
    send_form(opened, 409, attribution="© Second")
    assert row_of(root, "topo").endswith("© First Edit")


def test_those_of_the_ini_file_are_listed_and_left_alone(make_visitor, built):
    visitor = make_visitor(auth_mode="hybrid", **{"base_map.aerial": "https://b.example/{z}/{x}/{y}.jpg © B"})
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    assert "set by the ini file (base_map.aerial)" in row_of(visitor, "aerial")
    visitor.get(f"{NEW}?name=aerial", status=404)
    assert "ini file" in fault(add(visitor, "aerial", TOPO, status=400), "name")
    add(visitor, "topo", TOPO)
    text = page_of(visitor)[0]
    assert re.findall(r'"name": "(\w*)", "kind"', text) == ["aerial", "topo"]
    assert visitor.get("/settings?search=base_map").html.find("a", href="/console/maps")


def test_one_that_the_ini_file_sets_later_is_shown_with_the_reason_and_can_be_removed(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", **{"base_map.topo": "https://b.example/{z}/{x}/{y}.jpg"})
    populate(visitor.runtime, "superadmin")
    with visitor.runtime.sessions() as session:
        session.add(
            StoredSetting(name="base_map.topo", value=TOPO, sealed=False, updated_at=utcnow(), updated_by="root")
        )
        session.commit()
    visitor.sign_in("superadmin")
    assert "the ini file sets it as well, and wins" in " ".join(visitor.get("/maps").html.text.split())
    send_form(visitor.get(f"{NEW}?name=topo"), do="remove")
    assert "as well" not in visitor.get("/maps").html.text


def test_removing_needs_a_base_map_and_a_button_that_there_is(root):
    root.post(f"{NEW}?name=none", {"csrf_token": root.token, "do": "remove"}, status=404)
    root.post(NEW, {"csrf_token": root.token, "do": "burn"}, status=400)

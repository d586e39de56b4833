"""Cannonball's known aircraft in the console: found, added, edited, verified, removed and imported."""

import sqlalchemy as sa

from skywatch.cannonball.models import KnownAircraft
from skywatch.core.database.models import AuditEntry
from tests.functional.console.visitor import ORIGIN

LIST = """icao_hex,registration,agency_name,agency_type
A00001,N1CHP,California Highway Patrol,state
A00002,N2CHP,Kern County Sheriff,local
"""


def entries_of(root):
    with root.runtime.sessions() as session:
        return {entry.icao_hex: entry for entry in session.scalars(sa.select(KnownAircraft))}


def audited(root):
    with root.runtime.sessions() as session:
        found = session.scalars(sa.select(AuditEntry).where(AuditEntry.action.like("known_aircraft.%")))
        return [(entry.action, entry.method, entry.target_name) for entry in found.all()]


def press(page, do, which, status=303, **fields):
    form = page.forms[which]
    for name, value in fields.items():
        form[name] = value
    return form.submit("do", value=do, headers=ORIGIN, status=status)


def add(root, status=303, **fields):
    return root.send(root.get("/known-aircraft/new"), 1, status=status, **fields)


def test_one_is_added_found_edited_verified_and_removed(root):
    page = add(root, icao_hex="a12345", registration="n1", agency_name="California Highway Patrol").follow()
    assert "A12345 is on the list." in page
    entry = entries_of(root)["A12345"]
    assert (entry.registration, entry.agency_type, entry.agency_state) == ("N1", "state", "CA")
    found = root.get("/known-aircraft?search=highway")
    assert "A12345" in found
    assert "A12345" not in root.get("/known-aircraft?search=sheriff")
    page = found.click("A12345")
    page = press(page, "save", 2, agency_city="Sacramento").follow()
    entry = entries_of(root)["A12345"]
    assert entry.agency_city == "Sacramento"
    # What was left as it was does not count as edited by hand.
    assert set(entry.edited_fields) == {"agency_city", "agency_name", "registration", "source", "verified"}
    page = press(page, "verify", 1).follow()
    assert "A12345 is verified." in page
    page = press(page, "doubt", 1).follow()
    assert not entries_of(root)["A12345"].verified
    press(page, "remove", 3)
    assert entries_of(root) == {}
    assert audited(root) == [
        ("known_aircraft.created", "console", "A12345"),
        *[("known_aircraft.changed", "console", "A12345")] * 3,
        ("known_aircraft.deleted", "console", "A12345"),
    ]


WRONG = (
    ({"icao_hex": "xyz"}, "icao_hex"),
    ({"icao_hex": ""}, "icao_hex"),
    ({"icao_hex": "A12345", "source_url": "ftp://x"}, "source_url"),
)


def test_what_is_wrong_is_shown_at_its_field(root):
    for fields, field in WRONG:
        page = add(root, status=400, agency_name="Somebody", **fields)
        assert page.html.find(id=f"about-{field}").find(class_="fault")
        assert page.forms[1]["agency_name"].value == "Somebody"
    assert entries_of(root) == {}


def test_an_address_is_on_the_list_once(root):
    add(root, icao_hex="A12345")
    assert "already on the list" in add(root, status=409, icao_hex="a12345")


def test_a_change_made_meanwhile_is_told(root):
    page = add(root, icao_hex="A12345").follow()
    other = root.another_browser()
    other.sign_in("admin")
    press(other.get("/known-aircraft").click("A12345"), "save", 2, agency_city="Fresno")
    page = press(page, "save", 2, status=409, agency_city="Sacramento")
    assert "admin changed this since you opened it" in page
    assert page.forms[2]["agency_city"].value == "Sacramento"
    assert "Stored now: Fresno" in " ".join(page.html.find(id="about-agency_city").text.split())


def upload(root, do, text, status=200, **fields):
    form = root.get("/known-aircraft/import").forms[1]
    form["list"] = ("list.csv", text.encode())
    for name, value in fields.items():
        form[name] = value
    return form.submit("do", value=do, headers=ORIGIN, status=status)


def test_a_list_is_reported_on_and_imported(root):
    page = upload(root, "try", LIST)
    assert "This is what the import would do." in page
    assert "2 added" in page
    assert entries_of(root) == {}
    page = upload(root, "import", LIST)
    assert "Imported." in page
    assert set(entries_of(root)) == {"A00001", "A00002"}
    assert "A00001" in root.get("/known-aircraft?search=N1CHP")
    assert audited(root) == [("known_aircraft.imported", "console", None)]


def test_refused_lines_are_named_and_nothing_is_taken_without_being_asked(root):
    bad = LIST + "nonsense,N3,Somebody,state\n"
    page = upload(root, "import", bad, status=400)
    assert "Nothing was changed: 1 line was refused." in page
    assert [cell.text for cell in page.html.find("tbody").find_all("td")][:2] == ["4", "NONSENSE"]
    assert entries_of(root) == {}
    assert "1 refused" in upload(root, "import", bad, keep_good=True)
    assert len(entries_of(root)) == 2


def test_an_upload_without_a_list_or_without_our_token_is_refused(root):
    page = upload(root, "import", "", status=400)
    assert "is missing or empty" in page
    form = root.get("/known-aircraft/import").forms[1]
    form["list"] = ("list.csv", LIST.encode())
    assert form.submit("do", value="import", headers={"Origin": "http://elsewhere"}, status=403)
    form["csrf_token"].force_value("x")
    assert form.submit("do", value="import", headers=ORIGIN, status=403)
    assert entries_of(root) == {}


def test_a_broken_upload_is_a_fault_of_the_sender(root):
    headers = {**ORIGIN, "Content-Type": "multipart/form-data; boundary=x"}
    for body in (b"", b"--x", b"--x\r\nContent-Disposition: form-data\r\n\r\n", b"--x--\r\n"):
        answer = root.client.post("/console/known-aircraft/import", body, headers=headers, status="*")
        assert answer.status_int in (400, 403)


def test_other_pages_take_no_files(root):
    headers = {**ORIGIN, "Content-Type": "multipart/form-data; boundary=x"}
    root.client.post("/console/station", b"--x--\r\n", headers=headers, status=415)

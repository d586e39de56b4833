"""What was simulated goes with the simulator where the form says so, and is named first."""

import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.history.models import Flight
from skywatch.picture.models import PictureState
from tests.functional.console.test_receivers import add, audited, press, receivers_of
from tests.functional.console.visitor import populate
from tests.unit.history.stored import row

ASKED = "simulated.removed"


def visiting(make_visitor, **settings):
    root = make_visitor(auth_mode="hybrid", **settings)
    root.people = populate(root.runtime, "admin", "superadmin")
    root.sign_in("superadmin")
    add(root, name="demo", text="simulate aircraft=5")
    with writing(root.runtime.sessions) as session:
        session.execute(sa.insert(Flight), [row(1, "4B1620", simulated=True), row(2, "3C6444")])
    return root


def is_asked(root):
    with root.runtime.sessions() as session:
        return session.get(PictureState, "simulated_removal") is not None


def test_the_first_own_receiver_takes_the_simulator_and_what_it_recorded_away(make_visitor):
    root = visiting(make_visitor)
    page = root.get("/receivers/input")
    assert "Flights with their positions: 1" in page
    assert page.forms[1]["simulated_removed"].checked
    press(page, "save", host="localhost")
    assert list(receivers_of(root)) == ["roof"]
    assert is_asked(root)
    (entry,) = audited(root, ASKED)
    assert entry.after == {"Flights with their positions": 1}


def test_it_stays_where_the_box_is_not_ticked_or_a_simulator_goes_on(make_visitor):
    root = visiting(make_visitor)
    page = root.get("/receivers/input")
    page.forms[1]["simulator_off"].checked = False
    press(page, "save", host="localhost")
    assert sorted(receivers_of(root)) == ["demo", "roof"]
    assert not is_asked(root)
    page = root.get("/receivers/input?name=receiver.demo")
    page.forms[2]["simulated_removed"].checked = False
    press(page, "remove", 2)
    assert not is_asked(root)


def test_whoever_removes_the_simulator_is_offered_it(make_visitor):
    root = visiting(make_visitor)
    page = root.get("/receivers/input?name=receiver.demo")
    assert page.forms[2]["simulated_removed"].checked
    press(page, "remove", 2)
    assert list(receivers_of(root)) == []
    assert is_asked(root)


def test_nothing_is_offered_while_the_ini_file_simulates(make_visitor):
    root = visiting(make_visitor, receiver__ini="simulate aircraft=2")
    assert "simulated_removed" not in root.get("/receivers/input").forms[1].fields

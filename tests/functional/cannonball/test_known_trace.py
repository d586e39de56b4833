"""Changes of the list of known aircraft leave the same trace through the API as through the console."""

import pytest
import sqlalchemy as sa

from skywatch.cannonball.known import service
from skywatch.cannonball.known.schemas import KnownAircraftChangeFields
from skywatch.cannonball.known.service import state_of
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.storage.versions import Stale, version_of
from skywatch.security.visibility import EVERYTHING
from tests.functional.cannonball.conftest import ADMIN

URL = "/api/v1/cannonball/known-aircraft/"


def entries_in(client):
    with client.runtime.sessions() as db:
        return db.scalars(sa.select(AuditEntry).order_by(AuditEntry.id)).all()


def test_each_change_through_the_api_leaves_an_entry(client, add_known):
    one = f"{URL}{add_known('A00001', agency_name='Fresno Police')['id']}/"
    client.patch_json(one, {"agency_city": "Fresno"}, headers=ADMIN)
    client.post_json(f"{one}verify/", {}, headers=ADMIN)
    # Nothing is changed, and nothing is recorded.
    client.post_json(f"{one}verify/", {}, headers=ADMIN)
    client.patch_json(one, {}, headers=ADMIN)
    client.delete(one, headers=ADMIN)
    found = entries_in(client)
    assert [entry.action for entry in found] == [
        "known_aircraft.created",
        "known_aircraft.changed",
        "known_aircraft.changed",
        "known_aircraft.deleted",
    ]
    assert {(entry.actor_id, entry.target_name) for entry in found} == {(1, "A00001")}
    assert (found[1].before, found[1].after) == ({"agency_city": ""}, {"agency_city": "Fresno"})
    assert (found[2].before, found[2].after) == ({"verified": False}, {"verified": True})
    assert found[3].before["agency_city"] == "Fresno"


def test_an_import_and_a_refusal_through_the_api_leave_entries(client, add_known):
    add_known("A00001")
    client.post_json(URL, {"icao_hex": "a00001"}, headers=ADMIN, status=409)
    text = b"icao_hex,registration,agency_name\nA00002,N2,Reno Police\n"
    client.post(f"{URL}import/", text, content_type="text/csv", headers=ADMIN)
    found = entries_in(client)
    assert [entry.action for entry in found[1:]] == ["known_aircraft.created.refused", "known_aircraft.imported"]
    assert found[1].after["code"] == "conflict"
    assert found[2].after == {"format": "skywatch", "added": 1, "updated": 0, "unchanged": 0, "refused": 0}


@pytest.mark.parametrize(
    "change",
    [
        lambda known, version: service.change(*known, KnownAircraftChangeFields(agency_city="Fresno"), version),
        lambda known, version: service.verify(*known, True, version),
        lambda known, version: service.remove(*known, version),
    ],
    ids=["change", "verify", "remove"],
)
def test_the_service_refuses_a_change_of_another_state(client, add_known, change):
    number = add_known("A00001", agency_name="Fresno Police")["id"]

    def apply(version):
        with writing(client.runtime.sessions) as db:
            state = state_of(service.get(db, EVERYTHING, number))
            change((db, EVERYTHING, COMMAND_LINE, number), version or version_of(state))

    with pytest.raises(Stale):
        apply(version_of({"agency_name": "Reno Police"}))
    assert len(entries_in(client)) == 1
    apply(None)
    assert len(entries_in(client)) == 2

"""Lists are paged in the database, and geometries and entries are read only where they are shown."""

import pytest

from tests.alerts import BOX
from tests.functional.alerts.conftest import URL
from tests.statements import counting

ENTRIES, GEOMETRY = "alert_watchlists.entries", "alert_geofences.geometry"
RULE = {
    "name": "Near",
    "conditions": {
        "any": [
            {"field": "geofence", "op": "within", "value": 1},
            {"field": "watchlist", "op": "in", "value": 1},
        ]
    },
}


@pytest.fixture
def kept(client):
    """Seven geofences and seven watch lists; a function that gives the statements of a request."""
    headers = client.people["olga"]
    for number in range(7):
        client.post_json(f"{URL}watchlists/", {"name": f"L{number}", "entries": ["4B1620"]}, headers=headers)
        client.post_json(f"{URL}geofences/", {"name": f"F{number}", "geometry": BOX}, headers=headers)

    def statements_of(method, path, *body):
        send = getattr(client, method)
        with counting(client.runtime.engine) as statements:
            response = send(URL + path, *body, headers=headers)
        return response, [" ".join(statement.split()) for statement in statements]

    return statements_of


@pytest.mark.parametrize("what", ["watchlists", "geofences"])
def test_a_page_is_cut_in_the_database(kept, what):
    response, statements = kept("get", f"{what}/?limit=2&offset=3")
    assert [record["name"][1:] for record in response.json[what]] == ["3", "4"]
    assert response.json["count"] == 7
    (rows,) = [text for text in statements if f"FROM alert_{what}" in text and "count(" not in text]
    assert "LIMIT" in rows
    assert "OFFSET" in rows


def test_a_list_of_watch_lists_reads_no_entries(kept):
    for path in ("watchlists/", "rules/"):
        _, statements = kept("get", path)
        assert not [text for text in statements if ENTRIES in text or GEOMETRY in text]


def test_a_list_of_geofences_reads_geometries_as_text(kept):
    _, statements = kept("get", "geofences/?limit=2")
    assert len([text for text in statements if GEOMETRY in text]) == 1
    assert all("CAST(alert_geofences.geometry AS" in text for text in statements if GEOMETRY in text)


def test_neither_is_read_where_it_is_only_referred_to_or_deleted(kept):
    _, made = kept("post_json", "rules/", RULE)
    _, fence_deleted = kept("delete", "geofences/2/")
    _, list_deleted = kept("delete", "watchlists/2/")
    for statements in (made, fence_deleted, list_deleted):
        assert statements
        assert not [text for text in statements if ENTRIES in text or GEOMETRY in text]

"""An installation with a station, whose flights a test stores."""

import pytest

from tests.functional.firsts.drawing import STATION, ZONE, Installation
from tests.identities import install


@pytest.fixture
def client(make_client, database_url):
    settings = {"station_lat": STATION[0], "station_lon": STATION[1], "station_timezone": ZONE}
    return install(
        make_client(auth_mode="hybrid", database_url=database_url, receiver__roof="beast localhost:1", **settings)
    )


@pytest.fixture
def home(client):
    """Its flights and its worker."""
    return Installation(client.runtime)

"""A client whose recordings are in the test's own folder, with the login of an administrator."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from tests.accounts import Population


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "audio"


@pytest.fixture
def make_client(make_client):
    def make(**changes):
        made = make_client(**changes)
        people = Population(made.runtime)
        with made.runtime.sessions() as session:
            keeper = session.scalar(sa.select(User.id).where(User.username == "keeper"))
        made.authorization = ("Bearer", people.token(keeper or people.user("keeper", "admin")))
        return made

    return make


@pytest.fixture
def client(make_client, directory):
    return make_client(audio_directory=directory)

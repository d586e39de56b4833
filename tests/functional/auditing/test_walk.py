"""Every write of the API and of the console leaves an audit entry, or stands in the table of exceptions."""

from __future__ import annotations

import importlib
import pkgutil
import re
from contextlib import nullcontext

import pytest

from skywatch.console.forms import input_trial as trials
from tests.functional import auditing
from tests.functional.access.test_matrix import operations
from tests.functional.auditing import api_alerts
from tests.functional.auditing.exceptions import EXCEPTIONS
from tests.functional.auditing.world import World
from tests.functional.console.test_matrix import views
from tests.functional.sso.signing_on import settings_for
from tests.providers import fake_provider

SUBJECTS = [
    importlib.import_module(f"{auditing.__name__}.{module.name}")
    for module in pkgutil.iter_modules(auditing.__path__)
    if module.name.startswith(("api_", "console_"))
]
WRITES = [write for subject in SUBJECTS for write in subject.WRITES]
SAFE = ("GET", "HEAD", "OPTIONS")
SETTINGS = {"auth_mode": "hybrid", "environment": "development", "notify_allow_networks": "127.0.0.0/8"}


def all_writes(client):
    """Every operation and every form that is no read."""
    found = {name for name, operation in operations(client) if operation.method not in SAFE}
    for methods, path, _, _ in views(client.app.registry):
        for method in [methods] if isinstance(methods, str) else methods or ():
            if method not in SAFE:
                found.add(re.sub(r"\{(\w+):[^/]*\}", r"{\1}", f"{method} {path}"))
    return found


def test_every_write_is_performed_here_or_is_an_exception(client):
    there, performed = all_writes(client), {write.operation for write in WRITES}
    assert performed & set(EXCEPTIONS) == set()
    missing, left_over = sorted(there - performed - set(EXCEPTIONS)), sorted((performed | set(EXCEPTIONS)) - there)
    assert (missing, left_over) == ([], []), (
        "add a write to tests/functional/auditing or a SLICE, or an exception with its reason"
    )
    assert all(len(reason) > 20 for reason in EXCEPTIONS.values())


@pytest.fixture(autouse=True)
def _short_trials(monkeypatch):
    monkeypatch.setattr(trials, "WITHIN_S", 0.2)


def _dear(subject):
    """What takes seconds of the processor: the pages of the console, one by one."""
    name = subject.__name__.rpartition(".")[2]
    is_console = name in ("console_people", "console_service")
    marks = (
        pytest.mark.deep("opens dozens of pages") if is_console else pytest.mark.dear("finds a write without an entry")
    )
    return pytest.param(subject, id=name, marks=marks)


@pytest.mark.parametrize("subject", [_dear(subject) for subject in SUBJECTS])
def test_every_write_of_a_subject_leaves_its_entry(make_client, tmp_path, subject):
    world = World(make_client(audio_directory=tmp_path, **SETTINGS))
    writes = [write for write in subject.WRITES if not write.is_alone]
    assert list(filter(None, (fault_of(world, write) for write in writes))) == []


@pytest.mark.parametrize("write", [write for write in WRITES if write.is_alone], ids=lambda write: write.operation)
def test_a_write_that_begins_or_ends_a_session_leaves_its_entry(make_client, write):
    with fake_provider() if write.needs_provider else nullcontext() as provider:
        more = settings_for(provider) if provider is not None else {}
        assert fault_of(World(make_client(**{**SETTINGS, **more}), provider), write) == ""


def fault_of(world, write):
    """Perform a write; what is wrong with what it leaves, or nothing."""
    trace = world.trace_of(write)
    if trace is None:
        return f"{write.operation} was not performed: {world.traces}"
    if trace.status >= 400 or write.action not in trace.actions:
        return f"{write.operation} gave {trace.status} and left {trace.actions}, not {write.action}"
    return ""


def test_an_exception_that_is_none_would_be_found(make_client):
    world = World(make_client(**SETTINGS))
    world.post("/alerts/rules/test/", {"rule": api_alerts.RULE})
    assert world.traces[-1].actions == ()

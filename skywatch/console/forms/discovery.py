"""A round of receiver discovery: for whoever manages the service and has just signed in, once a minute, and audited."""

from __future__ import annotations

import asyncio
import math
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.proof import check_proof
from skywatch.console.forms.changes import changing
from skywatch.core.clock import utcnow
from skywatch.core.database.models import AuditEntry
from skywatch.core.network import interfaces
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target, record, record_apart
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.outputs.settings import OutputSettings
from skywatch.receivers.discovery import networks, probes
from skywatch.receivers.settings import ReceiverSettings
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

BEGUN, ENDED = "receivers.discovery", "receivers.discovered"
EVERY = timedelta(minutes=1)


def is_offered(request: Request) -> bool:
    """Whether the settings allow discovery."""
    return request.runtime.settings.of(ReceiverSettings).receiver_discovery


def look(request: Request) -> probes.Round:
    """Ask this machine and the hosts around for receivers, 5 s long.

    Raises Problem: 403 where discovery is switched off, the right was lost or the sign-in is too long ago, 429 within a
    minute of another round, whoever began that one.
    """
    asked = networks.networks_of(interfaces.own_interfaces())
    names = [str(network) for network in asked]
    target = Target("network", None, ", ".join(["this machine", *names]))
    with changing(request, BEGUN, target) as (session, caller):
        if not is_offered(request):
            raise Problem(
                "feature_disabled",
                sentence("console.discovery_off", "Looking for receivers is switched off (`receiver_discovery`)."),
            )
        # Rounds that begin at the same moment wait for each other here.
        caller.begin(session, Permission.SYSTEM_MANAGE)
        check_proof(session, request.caller.login_id)
        _check_pause(session)
        record(session, caller.actor, BEGUN, target, after={"networks": names})
    answers = asyncio.run(probes.ask(networks.hosts_of(asked), own_doors=_own_doors(request)))
    after = {
        "hosts": answers.total,
        "asked": answers.asked,
        "found": [f"{finding.kind} {finding.host}:{finding.port}" for finding in answers.findings],
    }
    record_apart(request.runtime.sessions, caller.actor, ENDED, target, after=after)
    return answers


def _own_doors(request: Request) -> list[probes.Door]:
    """The ports of this machine that are no outputs or pages of our own."""
    settings = request.runtime.settings
    listening = [settings.of(HttpSettings).listen]
    listening += [words[1] for text in settings.of(OutputSettings).outputs.values() if len(words := text.split()) > 1]
    own = {address.rpartition(":")[2] for address in listening}
    return [door for door in probes.OWN_DOORS if str(door.port) not in own]


def _check_pause(session: Session) -> None:
    now = utcnow()
    last = sa.select(sa.func.max(AuditEntry.at)).where(AuditEntry.action == BEGUN, AuditEntry.at > now - EVERY)
    at = session.scalar(last)
    if at is not None:
        wait_s = max(1, math.ceil((at + EVERY - now).total_seconds()))
        raise Problem(
            "rate_limited",
            sentence(
                "console.asked_recently", "The network was asked less than a minute ago. Once a minute is enough."
            ),
            headers={"Retry-After": str(wait_s)},
        )

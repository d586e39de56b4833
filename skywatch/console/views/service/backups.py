"""Backups: the first passphrase, the schedule, one on demand, what came of the last one, and a download."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from pyramid.response import Response

from skywatch.accounts.identity.proof import check_proof
from skywatch.backup.contents.passphrase import check_length, read_passphrase
from skywatch.backup.download import SUFFIX, sealed_pieces
from skywatch.backup.errors import BackupError
from skywatch.backup.places import create_passphrase, folder_of, has_passphrase, passphrase_file_of
from skywatch.backup.schedule.rotation import WholeBackup, whole_backups
from skywatch.backup.schedule.state import REQUESTED, read_state, request_backup
from skywatch.backup.settings import NEVER
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.form import read_form
from skywatch.console.forms.settings import describe, open_entries, save
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.storage.audit import Target, record
from skywatch.http.lists.stream import stream
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

ADDRESS = f"{HOME}/backups"
PAGES = (
    Page(
        route="console.backups",
        path="/backups",
        feature="system",
        title="Backups",
        group="Data",
        permission=Permission.SYSTEM_MANAGE,
    ),
)
NAMES = ("backup_every", "backup_keep")
SET_UP, DOWNLOADED = "backup.set_up", "backup.downloaded"
# A backup of a home station takes seconds; what is asked for is shown as under way for this long.
UNDER_WAY = timedelta(minutes=30)


backups_page = FormPage("console.backups", "backups.jinja2", Permission.SYSTEM_MANAGE)


@backups_page.get
def show_backups(request: Request) -> dict[str, Any]:
    """The last backup, those that are there, and how often one is made"""
    return {**_page(request), "entries": open_entries(request, NAMES)}


@backups_page.post
def post_backups(request: Request) -> dict[str, Any] | Response:
    """Begin with backups, which shows the new passphrase once; make one, download one, or change the schedule"""
    if "do" not in request.POST:
        return save(request, NAMES, _page(request), translate(request, "Saved."))
    form = read_form(request, "do", "name")
    what = form.get("do", "")
    try:
        if what == "begin":
            passphrase = _begin(request)
            return {**_page(request), "entries": open_entries(request, NAMES), "passphrase": passphrase}
        if what == "download":
            return _download(request, form.get("name", ""))
        if what != "make":
            raise invalid("do", sentence("console.do_backup", "must be begin, make or download"))
        _make(request)
    except Problem as problem:
        if problem.kind.code == "not_found":
            raise
        return refused(request, problem, {**_page(request), "entries": open_entries(request, NAMES)})
    return done(request, ADDRESS, translate(request, "A backup is being made."))


def _begin(request: Request) -> str:
    """Make the passphrase, from which on backups are made; raises Problem (409) where there is one."""
    settings = request.runtime.settings
    path = passphrase_file_of(settings)
    with ExitStack() as on_failure:
        with changing(request, SET_UP, Target("backup")) as (session, caller):
            caller.begin(session, Permission.SYSTEM_MANAGE)
            if path is None or path.exists():
                raise Problem("conflict", sentence("backup.has_passphrase", "There is a passphrase already."))
            record(session, caller.actor, SET_UP, Target("backup"))
            request_backup(session, caller.actor)
            session.flush()
            try:
                passphrase = create_passphrase(path)
            except OSError as error:
                raise Problem(
                    "conflict",
                    sentence(
                        "backup.passphrase_not_written",
                        "The passphrase cannot be written to {path}: {reason}",
                        path=path,
                        reason=error.strerror or error,
                    ),
                ) from None
            # Nobody is shown a passphrase whose transaction is not committed.
            on_failure.callback(path.unlink)
        on_failure.pop_all()
    return passphrase


def _make(request: Request) -> None:
    with changing(request, REQUESTED, Target("backup")) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        if not has_passphrase(request.runtime.settings):
            raise Problem("conflict", sentence("backup.no_passphrase", "There is no passphrase yet."))
        request_backup(session, caller.actor)


def _download(request: Request, name: str) -> Response:
    path = passphrase_file_of(request.runtime.settings)
    chosen = next((backup for backup in _backups(request) if backup.folder.name == name), None)
    if chosen is None or path is None:
        raise not_found(sentence("thing.backup", "backup"))
    with changing(request, DOWNLOADED, Target("backup", None, name)) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        check_proof(session, request.caller.login_id)
        try:
            passphrase = read_passphrase(path)
            check_length(passphrase)
        except BackupError as error:
            raise Problem(
                "conflict", sentence("backup.passphrase_unusable", "The passphrase: {reason}", reason=str(error))
            ) from None
        record(session, caller.actor, DOWNLOADED, Target("backup", None, name))
    folder = chosen.folder
    return stream(request, lambda _: sealed_pieces(folder, passphrase), "application/octet-stream", name + SUFFIX)


def _backups(request: Request) -> list[WholeBackup]:
    """The whole backups, the newest first; none where this process does not reach their folder."""
    folder = folder_of(request.runtime.settings)
    try:
        return [] if folder is None else whole_backups(folder)[::-1]
    except OSError:
        return []


def _intervals(request: Request, present: str) -> list[tuple[str, str]]:
    """How often people want one, and what the setting says besides."""
    offered = {
        NEVER: translate(request, "only when somebody asks for one"),
        "6h": translate(request, "every 6 hours"),
        "24h": translate(request, "every day"),
        "7d": translate(request, "every week"),
    }
    return list({present: present, **offered}.items()) if present not in offered else list(offered.items())


def _page(request: Request) -> dict[str, Any]:
    settings = request.runtime.settings
    # A session of its own: that of a POST would hold the database's lock before the change.
    with request.runtime.sessions() as session:
        state = read_state(session)
    described = {setting["name"]: setting for setting in describe(request.runtime.current, NAMES)}
    is_asked = state.requested_at is not None and utcnow() - state.requested_at < UNDER_WAY
    return {
        "state": state,
        "is_under_way": is_asked,
        "is_set_up": has_passphrase(settings),
        "has_place": folder_of(settings) is not None and passphrase_file_of(settings) is not None,
        "folder": folder_of(settings),
        "passphrase_file": passphrase_file_of(settings),
        "passphrase": "",
        "backups": [
            {"name": one.folder.name, "at": one.manifest.began_at, "bytes": one.manifest.bytes}
            for one in _backups(request)
        ],
        "settings": described,
        "intervals": _intervals(request, described["backup_every"]["value"]),
        "again": request.path,
        "problem": None,
    }

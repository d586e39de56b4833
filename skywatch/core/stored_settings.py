"""Settings in the database: what administrators set in the console, behind the environment and the ini file.

``StoredSettings`` merges them into the settings that a process was started with, at most once a second and only when
somebody asks. Which names may be stored is declared: settings and families with ``stored=True``, and families of inputs
with an ``EditableInputs`` in their feature. Inputs are sealed, because their addresses may hold credentials.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import re
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.encryption import Sealer
from skywatch.core.database.engine import DatabaseError, SessionFactory, create_engine, outage_of, reason
from skywatch.core.database.models import StoredSetting
from skywatch.core.hooks import EditableInputs, editable_inputs
from skywatch.core.problems import Problem, invalid, invalid_fields, not_found
from skywatch.core.process.secret_file import SUFFIX, path_of, with_secret
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.logs import without_passwords
from skywatch.core.text.names import all_shown
from skywatch.sentences import Sentence, sentence
from skywatch.settings import IniOnlyError, Settings, SettingsError, Source, check_settings, names_of, parse_setting

log = logging.getLogger(__name__)
READ_EVERY_S = 1.0
# A database that is away is not asked again before this (s).
RETRY_S = 5.0
PURPOSE = "stored settings"
MEMBER_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)
NAME_RULE = sentence(
    "settings.name_rule", "must be 1 to 32 lower-case letters, digits, hyphens and underscores, and begin with a letter"
)
MAX_VALUE = 2000
# Of all inputs together: each is a task and a connection of the tracker.
MAX_INPUTS = 100


@dataclasses.dataclass(frozen=True)
class StoredValue:
    """One stored setting. ``fault`` is the reason why it is not in force, ``text`` is None if it cannot be unsealed."""

    name: str
    text: str | None
    updated_at: datetime
    updated_by: str
    fault: str = ""


class StoredSettings:
    """The settings in force: those that a process was started with, and the stored ones."""

    def __init__(self, started_with: Settings, sessions: SessionFactory) -> None:
        self._started_with = started_with
        self._sessions = sessions
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._is_expired = False
        self._rows: dict[str, StoredValue] = {}
        self._current = started_with
        self._faults = FaultLog(log, "stored settings cannot be read", "stored settings can be read again")

    @property
    def current(self) -> Settings:
        """The settings in force; the same object until one of them changes. Reads the database once a second."""
        # One thread reads, the others take what there is; only the very first answer is waited for.
        if self._is_due and self._lock.acquire(blocking=self._read_at == float("-inf")):
            try:
                if self._is_due:
                    self._refresh()
            finally:
                self._lock.release()
        return self._current

    def expire(self) -> None:
        """Read the database at the next access."""
        self._is_expired = True

    @property
    def _is_due(self) -> bool:
        return self._is_expired or time.monotonic() - self._read_at >= READ_EVERY_S

    def _refresh(self) -> None:
        # Cleared before the read: a change that is made during it may be missing.
        self._is_expired = False
        try:
            with self._sessions() as session:
                rows = read(session, self._started_with)
        except sa.exc.SQLAlchemyError as error:
            self._faults.failed(reason(error), cause=outage_of(error))
            self._read_at = time.monotonic() + RETRY_S - READ_EVERY_S
            return
        if rows != self._rows:
            try:
                current, refused = merge(self._started_with, rows)
            except Exception as error:
                # A fault of the program: the settings in force stay, and no request fails for it.
                self._faults.failed(str(error), error)
                self._read_at = time.monotonic() + RETRY_S - READ_EVERY_S
                return
            self._rows, self._current = rows, current
            for name, fault in refused.items():
                log.warning("the stored setting %s is not in force: %s", name, fault)
            for name, row in rows.items():
                if is_ini_only(self._started_with, name, row.text):
                    log.warning("the stored setting %s is a kind for the ini file: move it there", name)
        self._read_at = time.monotonic()
        self._faults.succeeded()


def read(session: Session, settings: Settings) -> dict[str, StoredValue]:
    """Every stored setting by name."""
    sealer = Sealer(settings.secret, PURPOSE)
    values = {}
    # Names in brackets are no settings: what other parts store with them.
    rows = sa.select(StoredSetting).where(StoredSetting.name.not_like("(%"))
    for row in session.scalars(rows.order_by(StoredSetting.name)):
        text = sealer.open(row.value) if row.sealed else row.value
        values[row.name] = StoredValue(row.name, text, row.updated_at, row.updated_by)
    return values


def in_force(settings: Settings, engine: Engine) -> Settings:
    """The settings in force for a command that runs outside the service; raises SQLAlchemyError."""
    path = path_of(settings)
    if path is not None and path.exists():
        settings = with_secret(settings)
    with Session(engine) as session:
        return merge(settings, read(session, settings))[0]


def look_up(settings: Settings) -> tuple[Settings, str]:
    """The settings in force for a command that opens no database itself, and why those stored could not be read.

    A database that does not exist yet contains none, and is not created.
    """
    path = path_of(settings)
    if path is not None and not path.with_name(path.name.removesuffix(SUFFIX)).exists():
        return settings, ""
    try:
        engine = create_engine(settings.database_url)
    except DatabaseError as error:
        return settings, str(error)
    try:
        return in_force(settings, engine), ""
    except sa.exc.SQLAlchemyError as error:
        return settings, reason(error)
    finally:
        engine.dispose()


def listed(session: Session, settings: Settings, family: str = "") -> list[StoredValue]:
    """The stored settings, of one family (``receiver.``) or all, each with the fault that keeps it from being used."""
    rows = read(session, settings)
    _, refused = merge(settings, rows)
    return [
        dataclasses.replace(row, fault=refused.get(name, "")) for name, row in rows.items() if name.startswith(family)
    ]


def merge(settings: Settings, rows: Mapping[str, StoredValue]) -> tuple[Settings, dict[str, str]]:
    """Settings with the stored ones in them, and why some are not in force (name -> reason)."""
    merged, faults = _merge(settings, rows)
    return merged, {name: fault.reason for name, fault in faults.items()}


def _merge(settings: Settings, rows: Mapping[str, StoredValue]) -> tuple[Settings, dict[str, SettingsError]]:
    texts, faults = {}, {}
    for name, row in rows.items():
        source = settings.sources.get(name, "default")
        if source in ("ini", "environment"):
            faults[name] = SettingsError(
                name,
                sentence(
                    "settings.set_elsewhere_too", "the {source} sets it as well, and wins", source=source_name(source)
                ),
            )
        elif not is_storable(settings, name):
            faults[name] = SettingsError(name, sentence("settings.not_storable", "is not a setting that can be stored"))
        elif row.text is None:
            faults[name] = SettingsError(
                name, sentence("settings.other_secret", "cannot be decrypted: the installation's secret is another one")
            )
        else:
            texts[name] = row.text
    while True:
        try:
            return dataclasses.replace(_with_texts(settings, texts), **_above(settings, rows, faults)), faults
        except SettingsError as error:
            if not texts:
                raise
            for name in _culprits(settings, texts, error):
                faults[name] = error
                del texts[name]


def _above(settings: Settings, rows: Mapping[str, StoredValue], faults: Mapping[str, SettingsError]) -> dict[str, Any]:
    """The values of settings whose stored number is above their maximum, for those that declare one, by field."""
    names = names_of(type(settings))
    values = {}
    for name in faults:
        if name not in names.single or settings.sources.get(name) in ("ini", "environment"):
            continue
        field = names.single[name]
        metadata = names.fields[field].metadata
        if metadata["above"] is not None and _number(rows[name].text) > metadata["maximum"]:
            values[field] = metadata["above"]
    return values


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _culprits(settings: Settings, texts: Mapping[str, str], error: SettingsError) -> list[str]:
    """The stored settings to leave out for an error: one alone where that is enough, inputs last, all at worst."""
    if error.name in texts:
        return [error.name]
    # A check of a combination may name the setting that is missing, which is not stored.
    single = [name for name in texts if not _family_of(settings, name)]
    candidates = []
    for name in [*single, *(name for name in texts if name not in single)]:
        try:
            _with_texts(settings, {other: text for other, text in texts.items() if other != name})
        except SettingsError as remaining:
            # There is another fault, which comes next.
            if (remaining.name, remaining.reason) != (error.name, error.reason):
                candidates.append(name)
            continue
        return [name]
    return candidates[:1] or single or list(texts)


def change(session: Session, settings: Settings, actor: Actor, values: Mapping[str, str | None]) -> None:
    """Store settings (name -> text; None removes one) in the present transaction, with entries in the audit log.

    ``settings`` are those that the process was started with. Raises Problem: 404 for a name that cannot be stored, 409
    where the ini file or the environment sets it, 400 where a text or a combination is wrong.
    """
    rows = read(session, settings)
    for name, text in values.items():
        _check_name(settings, name, text)
        if text is not None and name in rows:
            check_changeable(settings, rows[name])
    texts = {name: row.text for name, row in rows.items()} | dict(values)
    inputs = [name for name, text in texts.items() if text is not None and _input_of(settings, name) is not None]
    if len(inputs) > MAX_INPUTS:
        raise Problem(
            "conflict",
            sentence("settings.too_many_inputs", "There are {most} inputs already; remove one first.", most=MAX_INPUTS),
        )
    _check_texts(settings, rows, values)
    sealer = Sealer(settings.secret, PURPOSE)
    for name, text in values.items():
        before = rows[name].text if name in rows else None
        if text == before and (text is not None) == (name in rows):
            continue
        session.execute(sa.delete(StoredSetting).where(StoredSetting.name == name))
        if text is not None:
            seals = _input_of(settings, name) is not None
            session.add(
                StoredSetting(
                    name=name,
                    value=sealer.seal(text) if seals else text,
                    sealed=seals,
                    updated_at=utcnow(),
                    updated_by=actor.name[:254],
                )
            )
        target = Target("setting", name, name)
        record(session, actor, "setting.changed", target, before=_shown(before), after=_shown(text))
    session.flush()


def is_storable(settings: Settings, name: str) -> bool:
    """Whether a setting may be stored."""
    names = names_of(type(settings))
    if name in names.single:
        return bool(names.fields[names.single[name]].metadata["stored"])
    family = _family_of(settings, name)
    return bool(family) and MEMBER_NAME.fullmatch(name.removeprefix(family)) is not None


def is_ini_only(settings: Settings, name: str, text: str | None) -> bool:
    """Whether a text is of a kind that is not stored any more; what was stored before holds and can only be removed."""
    editable = _input_of(settings, name)
    if editable is None or text is None:
        return False
    try:
        editable.check(name.partition(".")[2], text)
    except SettingsError as error:
        return isinstance(error, IniOnlyError)
    return False


def check_changeable(settings: Settings, row: StoredValue) -> None:
    """Raise Problem (409) for a stored setting that can only be removed."""
    if is_ini_only(settings, row.name, row.text):
        raise Problem(
            "conflict",
            sentence(
                "settings.for_ini_file",
                "{name} is for the ini file: move its line there, and remove it here.",
                name=row.name,
            ),
        )


def source_name(source: Source) -> Sentence:
    """A source as people call it."""
    names: dict[Source, Sentence] = {
        "default": sentence("settings.default", "default"),
        "ini": sentence("settings.ini_file", "ini file"),
        "environment": sentence("settings.environment", "environment"),
        "database": sentence("settings.database", "database"),
        "file": sentence("settings.file", "file"),
    }
    return names[source]


def _input_of(settings: Settings, name: str) -> EditableInputs | None:
    """What the family of an input declares; None for every other setting."""
    return editable_inputs(settings.features).get(name.partition(".")[0] + ".")


def _family_of(settings: Settings, name: str) -> str:
    """The beginning of the names of a family whose members may be stored (``receiver.``), or nothing."""
    prefix, names = name.partition(".")[0] + ".", names_of(type(settings))
    is_stored = prefix in names.families and names.fields[names.families[prefix]].metadata["stored"]
    return prefix if is_stored or _input_of(settings, name) is not None else ""


def _check_name(settings: Settings, name: str, text: str | None) -> None:
    source = settings.sources.get(name, "default")
    if source in ("ini", "environment") and text is not None:
        raise Problem(
            "conflict",
            sentence(
                "settings.set_elsewhere",
                "{name} is set by the {source} and cannot be changed here.",
                name=name,
                source=source_name(source),
            ),
        )
    if text is None:
        return
    family = _family_of(settings, name)
    if family and not is_storable(settings, name):
        raise invalid("name", NAME_RULE)
    if not is_storable(settings, name):
        raise not_found(sentence("thing.setting", "setting"))


def _check_texts(settings: Settings, rows: Mapping[str, StoredValue], changed: Mapping[str, str | None]) -> None:
    names = names_of(type(settings))
    faults: dict[str, str] = {}
    for name, text in changed.items():
        if text is None:
            continue
        try:
            if len(text) > MAX_VALUE or not all_shown(text):
                raise SettingsError(
                    name, sentence("settings.printable", "must be at most {most} printable characters", most=MAX_VALUE)
                )
            editable = _input_of(settings, name)
            if editable is not None:
                editable.check(name.partition(".")[2], text)
            elif name in names.single:
                parse_setting(names, name, text)
        except SettingsError as error:
            faults[name] = error.reason
    if faults:
        raise invalid_fields(faults)
    _check_together(settings, rows, changed)


def _check_together(settings: Settings, rows: Mapping[str, StoredValue], changed: Mapping[str, str | None]) -> None:
    """Raise Problem (400) where a change would take a setting out of force; what is so already does not count."""
    after = {name: row for name, row in rows.items() if name not in changed}
    now = utcnow()
    after |= {name: StoredValue(name, text, now, "") for name, text in changed.items() if text is not None}
    before = _merge(settings, rows)[1]
    for name, fault in _merge(settings, after)[1].items():
        if name in changed or name not in before:
            raise invalid(fault.name, fault.reason)


def _with_texts(settings: Settings, texts: Mapping[str, str]) -> Settings:
    names = names_of(type(settings))
    single = {name: text for name, text in texts.items() if name in names.single}
    values = {names.single[name]: parse_setting(names, name, text) for name, text in single.items()}
    for prefix, field in names.families.items():
        members = {name.removeprefix(prefix): text for name, text in texts.items() if name.startswith(prefix)}
        if members:
            values[field] = {**getattr(settings, field), **members}
    sources: dict[str, Source] = {**settings.sources, **dict.fromkeys(texts, "database")}
    merged = dataclasses.replace(settings, sources=sources, **values)
    check_settings(merged)
    return merged


def _shown(text: str | None) -> dict[str, str | None]:
    return {"value": None if text is None else without_passwords(text)}

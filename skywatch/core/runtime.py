"""The shared means of one process: settings, database and bus, opened once and handed to every part."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.engine import Engine

from skywatch.core import events
from skywatch.core.bus import Bus, open_bus
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import SessionFactory, check_connection, create_engine, create_session_factory
from skywatch.core.database.fencing import Fence, fenced
from skywatch.core.feature import FeatureSet
from skywatch.core.process.secret_file import with_secret
from skywatch.core.stored_settings import StoredSettings
from skywatch.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class Runtime:
    """What a role needs to run; ``close`` gives it all back.

    ``settings`` are those that the process was started with, ``current`` those in force.
    """

    settings: Settings
    engine: Engine
    sessions: SessionFactory
    bus: Bus
    stored: StoredSettings = field(init=False, repr=False, compare=False)
    _closing: list[Callable[[], None]] = field(default_factory=list, repr=False, compare=False)
    _shared: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        seal_columns(self.engine, self.settings.secret)
        object.__setattr__(self, "sessions", events.publishing(self.sessions, self.bus))
        object.__setattr__(self, "stored", StoredSettings(self.settings, self.sessions))

    @property
    def current(self) -> Settings:
        """The settings in force at this moment: ``settings``, and what the console has set since or before."""
        return self.stored.current

    @property
    def features(self) -> FeatureSet:
        """The features of the installation."""
        result: FeatureSet = self.settings.features
        return result

    @classmethod
    def open(cls, settings: Settings) -> Runtime:
        """Open database and bus; raises DatabaseError, BusError or SettingsError with a line for the administrator."""
        engine = create_engine(settings.database_url, timeout_s=settings.database_timeout_s)
        try:
            check_connection(engine)
            settings = with_secret(settings)
            return cls(settings, engine, create_session_factory(engine), open_bus(settings.bus, settings.bus_prefix))
        except BaseException:
            engine.dispose()
            raise

    def fenced(self, fence: Fence) -> Runtime:
        """The same means, for parts that write nothing any more once another process has taken over."""
        runtime = copy.copy(self)
        object.__setattr__(runtime, "sessions", fenced(self.sessions, fence))
        return runtime

    def shared(self, create: Callable[[Runtime], T]) -> T:
        """The one object of this process that ``create`` makes, for parts of a feature that work on the same thing.

        A feature's inputs and its monitor meet in this way. For the start of a process: not safe between threads.
        """
        if create not in self._shared:
            self._shared[create] = create(self)
        shared: T = self._shared[create]
        return shared

    def at_close(self, callback: Callable[[], None]) -> None:
        """Call back when the means are given back, while they still work; the last comer goes first."""
        self._closing.append(callback)

    def close(self) -> None:
        """Close what was built upon the means, then the bus and the database's connections."""
        while self._closing:
            self._closing.pop()()
        self.bus.close()
        self.engine.dispose()

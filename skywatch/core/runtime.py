"""The shared means of one process: settings, database and bus, opened once and handed to every part."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
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


class Runtime:
    """What a role needs to run; ``close`` gives it all back.

    ``settings`` are those that the process was started with, ``current`` those in force. ``sessions`` publish the
    events of what they commit on the ``bus``.
    """

    def __init__(self, settings: Settings, engine: Engine, sessions: SessionFactory, bus: Bus) -> None:
        seal_columns(engine, settings.secret)
        self.settings = settings
        self.engine = engine
        self.sessions = events.publishing(sessions, bus)
        self.bus = bus
        self.stored = StoredSettings(settings, self.sessions)
        self._closing: list[Callable[[], None]] = []
        self._shared: dict[object, Any] = {}
        self._sharing = threading.RLock()

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
        runtime.sessions = fenced(self.sessions, fence)
        return runtime

    def shared(self, create: Callable[[Runtime], T]) -> T:
        """Return the one object that ``create`` makes, for parts that work on the same thing; in any thread.

        A feature's inputs and its monitor meet in this way, and so do the views of an application.
        """
        if create not in self._shared:
            with self._sharing:
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


def runtime_of(registry: Mapping[str, Any]) -> Runtime:
    """Return the runtime of an application, the only thing that Pyramid's registry holds by name; views have
    ``request.runtime``."""
    runtime: Runtime = registry["runtime"]
    return runtime

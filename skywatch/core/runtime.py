"""The shared means of one process: settings, database and bus, opened once and handed to every part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.engine import Engine

from skywatch.core.bus import Bus, open_bus
from skywatch.core.db import SessionFactory, check_connection, create_engine, create_session_factory
from skywatch.settings import Settings


@dataclass(frozen=True)
class Runtime:
    """What a role needs to run; ``close`` gives it all back."""

    settings: Settings
    engine: Engine
    sessions: SessionFactory
    bus: Bus
    _closing: list[Callable[[], None]] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def open(cls, settings: Settings) -> Runtime:
        """Open database and bus; raises DatabaseError or BusError with a line for the administrator."""
        engine = create_engine(settings.database_url)
        check_connection(engine)
        return cls(settings, engine, create_session_factory(engine), open_bus(settings.bus))

    def at_close(self, callback: Callable[[], None]) -> None:
        """Call back when the means are given back, while they still work; the last comer goes first."""
        self._closing.append(callback)

    def close(self) -> None:
        """Close what was built upon the means, then the bus and the database's connections."""
        while self._closing:
            self._closing.pop()()
        self.bus.close()
        self.engine.dispose()

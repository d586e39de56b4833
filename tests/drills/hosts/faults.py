"""What is done to the hosts: each fault of a class, its cure, and the goal that the gap of the picture is held to."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass

from tests.drills.conditions import fill, free
from tests.drills.hosts.cluster import Cluster
from tests.drills.hosts.files import HOSTS, SERVICE_HOSTS


@dataclass
class Scene:
    """What a fault is done to: the cluster, and how many of its class were before.

    ``silenced`` is the host whose tracker may write nothing from the fault on.
    """

    cluster: Cluster
    token: str
    turn: int = 0
    silenced: int | None = None

    def tracker(self) -> int:
        """The host of the leading tracker."""
        leading = self.cluster.leading_tracker(self.token)
        assert leading is not None, "no tracker leads"
        return leading

    def database(self) -> int:
        """The host of the leading PostgreSQL."""
        leading = self.cluster.database_leader()
        assert leading is not None, "no PostgreSQL leads"
        return leading


Cure = Callable[[], None]


def _nothing() -> None:
    """What ends by itself needs no cure."""


@dataclass(frozen=True)
class Fault:
    """``cause`` begins it and gives its cure, which comes after ``hold_s``; ``goals_s`` are by bus.

    ``prepare`` brings about what has to be so before; where it gives True it is waited until all is well again.
    """

    name: str
    cause: Callable[[Scene], Cure]
    hold_s: float = 0.0
    goals_s: tuple[tuple[str, float], ...] = ()
    prepare: Callable[[Scene], bool] = lambda scene: False
    times: int = 5
    # Whoever comes to a process that does not know him yet needs the database.
    has_database: bool = True

    def goal_s(self, bus: str) -> float | None:
        """The longest gap of the picture on a bus; None where the issue names none."""
        return dict(self.goals_s).get(bus)


def _kill_tracker(scene: Scene) -> Cure:
    scene.silenced = scene.tracker()
    scene.cluster.units[f"tracker{scene.silenced}"].kill()
    # The one that its systemd starts stands by.
    return _nothing


def _freeze_tracker(scene: Scene) -> Cure:
    scene.silenced = scene.tracker()
    unit = scene.cluster.units[f"tracker{scene.silenced}"]
    unit.signal(signal.SIGSTOP)
    return lambda: unit.signal(signal.SIGCONT)


def _cut_tracker(scene: Scene) -> Cure:
    scene.silenced = host = scene.tracker()
    scene.cluster.lan.cut(host)
    return lambda: scene.cluster.lan.join(host)


def _fill_disk(scene: Scene) -> Cure:
    disk = scene.cluster.files.disk(scene.database())
    fill(disk)
    return lambda: free(disk)


def _slow_disk(scene: Scene) -> Cure:
    conditions = scene.cluster.conditions[scene.database()]
    conditions.slow()
    return conditions.quicken


def _set_clock(scene: Scene) -> Cure:
    """Of the host whose tracker leads; ahead and behind in turn."""
    conditions = scene.cluster.conditions[scene.tracker()]
    conditions.set_clock(-OFF_S if scene.turn % 2 else OFF_S)
    return lambda: conditions.set_clock(0)


def _move_database(together: bool) -> Callable[[Scene], bool]:
    """Whether PostgreSQL had to change hosts, so that it leads where the tracker does, or elsewhere."""

    def prepare(scene: Scene) -> bool:
        if (scene.database() == scene.tracker()) == together:
            return False
        scene.cluster.switch_over()
        return True

    return prepare


def _bus_server(scene: Scene) -> str:
    """The next of three NATS servers; of Redis the master."""
    if scene.cluster.bus == "nats":
        return f"nats{HOSTS[scene.turn % len(HOSTS)]}"
    return f"redis{scene.cluster.master()}"


def _kill_bus(scene: Scene) -> Cure:
    unit = scene.cluster.units[_bus_server(scene)]
    unit.kill(hold=True)
    return lambda: scene.cluster.supervisor.release(unit)


def _freeze_bus(scene: Scene) -> Cure:
    unit = scene.cluster.units[_bus_server(scene)]
    unit.signal(signal.SIGSTOP)
    return lambda: unit.signal(signal.SIGCONT)


def _switch_database(scene: Scene) -> Cure:
    scene.cluster.switch_over()
    return _nothing


def _lose_database(scene: Scene) -> Cure:
    host = scene.database()
    scene.cluster.kill_database(host)
    return lambda: scene.cluster.supervisor.release(scene.cluster.units[f"patroni{host}"])


def _kill(role: str) -> Callable[[Scene], Cure]:
    def cause(scene: Scene) -> Cure:
        scene.cluster.units[f"{role}{SERVICE_HOSTS[scene.turn % scene.cluster.roles[role]]}"].kill()
        return _nothing

    return cause


# A clock that nobody sets is off by so much after months.
OFF_S = 5
# A lost host counts as an election of Patroni where it had the leading PostgreSQL: 20 s and more.
FAULTS = (
    Fault("tracker-killed", _kill_tracker, 3.0, (("nats", 1.5), ("sentinel", 6.0)), times=30),
    Fault("tracker-frozen", _freeze_tracker, 30.0, (("nats", 2.5), ("sentinel", 2.5)), times=30),
    Fault("link-cut", _cut_tracker, 15.0, (("nats", 4.0), ("sentinel", 8.0)), _move_database(together=False)),
    Fault("link-of-both-cut", _cut_tracker, 45.0, (), _move_database(together=True), has_database=False),
    Fault("bus-killed", _kill_bus, 10.0, (("sentinel", 6.0),)),
    Fault("bus-frozen", _freeze_bus, 30.0, ()),
    Fault("database-switched", _switch_database),
    Fault("database-lost", _lose_database, 45.0),
    Fault("disk-full", _fill_disk, 30.0, (("nats", 2.0), ("sentinel", 2.0))),
    Fault(
        "disk-slow",
        _slow_disk,
        30.0,
        (("nats", 2.0), ("sentinel", 2.0)),
    ),
    # Set back, the time of the picture itself stands still for so long: no goal.
    Fault("clock-off", _set_clock, 30.0),
    Fault("api-killed", _kill("api"), 3.0),
    Fault("realtime-killed", _kill("realtime"), 3.0),
    Fault("ingest-killed", _kill("ingest"), 3.0),
    Fault("worker-killed", _kill("worker"), 3.0),
)

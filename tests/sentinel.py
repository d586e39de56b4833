"""Three Sentinels and two Redis servers of a test's own, one of which is the master."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis
from redis.exceptions import RedisError

from tests.ports import free_port
from tests.redis_server import OwnRedis
from tests.servers import program
from tests.waiting import PATIENCE_S, until

NAME = "skytests"
# What Sentinel calls down after so long without an answer (ms): longer than a busy machine is silent.
DOWN_AFTER_MS = 3000


class Watched:
    """``address`` is the list of Sentinels as the setting ``bus`` names it."""

    def __init__(self, servers: list[OwnRedis], sentinel_ports: list[int]) -> None:
        self.servers = servers
        self.sentinel_ports = sentinel_ports

    @property
    def address(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinel_ports)
        return f"redis+sentinel://{hosts}/{NAME}"

    def master(self) -> OwnRedis:
        """The server that the first Sentinel calls the master."""
        with redis.Redis(port=self.sentinel_ports[0], socket_timeout=PATIENCE_S) as client:
            port = int(client.sentinel_get_master_addr_by_name(NAME)[1])
        return next(server for server in self.servers if server.port == port)


@contextmanager
def watched(folder: Path) -> Iterator[Watched]:
    """Started, and until the Sentinels know the replica and each other."""
    servers = [OwnRedis(folder) for _ in range(2)]
    with ExitStack() as stopped:
        for server in servers:
            stopped.callback(server.stop)
            server.start()
        with redis.Redis(port=servers[1].port) as client:
            client.execute_command("REPLICAOF", "127.0.0.1", servers[0].port)
        ports = [free_port() for _ in range(3)]
        for port in ports:
            configuration = folder / f"sentinel-{port}.conf"
            configuration.write_text(
                f"port {port}\nbind 127.0.0.1\ndir {folder}\n"
                f"sentinel monitor {NAME} 127.0.0.1 {servers[0].port} 2\n"
                f"sentinel down-after-milliseconds {NAME} {DOWN_AFTER_MS}\n"
                f"sentinel failover-timeout {NAME} 5000\n"
            )
            process = subprocess.Popen(
                [program("redis-server"), str(configuration), "--sentinel"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stopped.callback(process.wait, PATIENCE_S)
            stopped.callback(process.kill)
        until(lambda: all(is_ready(port) for port in ports), "the Sentinels", every_s=0.2)
        yield Watched(servers, ports)


def is_ready(port: int) -> bool:
    """Whether a Sentinel knows the other two and the replica."""
    try:
        with redis.Redis(port=port, socket_timeout=PATIENCE_S) as client:
            master = client.sentinel_master(NAME)
            return master["num-other-sentinels"] == 2 and master["num-slaves"] == 1
    except RedisError:
        return False

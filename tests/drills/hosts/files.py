"""The files of the hosts: the templates of ``deploy/cluster``, filled for namespaces that share one file system."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from tests.drills.network import Lan

TEMPLATES = Path(__file__).resolve().parents[3] / "deploy" / "cluster"
HOSTS = (1, 2, 3)
# The processes of Skywatch and PostgreSQL are on two hosts; the third has what needs three, and the proxy.
SERVICE_HOSTS, PROXY_HOST, CALLERS_HOST = (1, 2), 3, 0
MASTER = "skywatch"
# Callers of one address and of one user: what would be many people is one drill.
_FURTHER = {
    "jwt_access_token_lifetime_minutes": "1440",
    "realtime_connections_per_address": "1000",
    "realtime_connections_per_user": "1000",
    "api_connections_per_address": "1000",
    **{f"default_throttle_rates.{bucket}": "1000000/minute" for bucket in ("anon", "user", "live", "login", "refresh")},
}


def find_postgresql() -> str:
    """The newest release of PostgreSQL that is installed; raises FileNotFoundError."""
    releases = [path.parent.name for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").exists()]
    if not releases:
        raise FileNotFoundError("initdb")
    return max(releases, key=int)


@dataclass
class Files:
    """Fills templates into ``folder``; ``bus`` is ``nats`` or ``sentinel``."""

    folder: Path
    bus: str
    secret: str = field(default_factory=lambda: secrets.token_hex(32))
    superuser_password: str = field(default_factory=lambda: secrets.token_hex(24))
    database_password: str = field(default_factory=lambda: secrets.token_hex(24))
    replication_password: str = field(default_factory=lambda: secrets.token_hex(24))
    bus_password: str = field(default_factory=lambda: secrets.token_hex(24))

    def of_host(self, number: int) -> Path:
        """The folder of a host, made where it is not there."""
        folder = self.folder / f"sky{number}"
        folder.mkdir(exist_ok=True)
        return folder

    def disk(self, number: int) -> Path:
        """The folder of a host's PostgreSQL, on which a disk of its own may be mounted."""
        return self.of_host(number) / "postgresql"

    def filled(self, template: str, number: int) -> str:
        """A file of ``deploy/cluster`` for a host."""
        names = {
            "NAME": f"sky{number}", "ADDRESS": Lan.address(number),
            **{f"HOST{n}": Lan.address(n) for n in HOSTS},
            "NETWORK": "10.77.0.0/24", "DOMAIN": Lan.address(PROXY_HOST), "POSTGRESQL": find_postgresql(),
            "SECRET": self.secret, "DATABASE_PASSWORD": self.database_password,
            "SUPERUSER_PASSWORD": self.superuser_password, "REPLICATION_PASSWORD": self.replication_password,
            "BUS_PASSWORD": self.bus_password,
        }  # fmt: skip
        return Template((TEMPLATES / template).read_text()).substitute(names)

    def write(self, number: int, name: str, text: str, user: str = "") -> Path:
        """A file of a host."""
        path = self.of_host(number) / name
        path.write_text(text)
        if user:
            shutil.chown(path, user)
        return path

    def patroni(self, number: int) -> Path:
        """Its data lie in the folder of the host, and so do its sockets: the hosts share one file system."""
        folder = self.disk(number)
        folder.mkdir(exist_ok=True)
        shutil.chown(folder, "postgres")
        text = self.filled("patroni.yml", number)
        for before in ("/var/lib/postgresql", "/var/run/postgresql"):
            text = text.replace(before, str(folder))
        # Nothing here outlives the machine.
        text = text.replace("      parameters:\n", "      parameters:\n        fsync: 'off'\n")
        return self.write(number, "patroni.yml", text, "postgres")

    def nats(self, number: int) -> Path:
        """What the monitor says is read from another host."""
        text = self.filled("nats-server.conf", number)
        text = text.replace("127.0.0.1:8222", f"{Lan.address(number)}:8222")
        return self.write(number, "nats-server.conf", text.replace("/var/lib/nats", str(self.of_host(number) / "nats")))

    def redis(self, number: int) -> Path:
        """Redis behind Sentinel: the first host begins as the master."""
        lines = [f"bind {Lan.address(number)}", "port 6379", "protected-mode no", 'save ""']
        lines += [f"dir {self.of_host(number)}"]
        lines += [f"replicaof {Lan.address(1)} 6379"] if number != 1 else []
        return self.write(number, "redis.conf", "\n".join(lines) + "\n")

    def sentinel(self, number: int) -> Path:
        """As Sentinel writes into its file, each host has its own."""
        lines = [
            f"bind {Lan.address(number)}", "port 26379", "protected-mode no", f"dir {self.of_host(number)}",
            f"sentinel monitor {MASTER} {Lan.address(1)} 6379 2",
            f"sentinel down-after-milliseconds {MASTER} 1000", f"sentinel failover-timeout {MASTER} 5000",
        ]  # fmt: skip
        return self.write(number, "sentinel.conf", "\n".join(lines) + "\n")

    def haproxy(self) -> Path:
        """Of the host with the proxy, before the hosts that have processes of Skywatch."""
        text = self.filled("haproxy.cfg", PROXY_HOST).replace("/etc/skywatch/tls", str(self.folder))
        text = text.replace("/etc/skywatch/haproxy", str(TEMPLATES))
        lines = [line for line in text.splitlines() if not line.strip().startswith("server sky3")]
        return self.write(PROXY_HOST, "haproxy.cfg", "\n".join(lines) + "\n")

    def certificate(self) -> Path:
        """Of the proxy; its key stands in ``sky.pem`` with it."""
        key, certificate = self.folder / "sky.key", self.folder / "sky.crt"
        words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=sky"]
        words += ["-addext", f"subjectAltName=IP:{Lan.address(PROXY_HOST)}"]
        subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        (self.folder / "sky.pem").write_text(certificate.read_text() + key.read_text())
        return certificate

    def skywatch(self, number: int) -> Path:
        """Its settings, with those that a drill's callers need."""
        further = {**_FURTHER, "audio_directory": str(self.folder / "audio")}
        lines = "".join(f"{name} = {value}\n" for name, value in further.items())
        text = self.filled("skywatch.ini", number)
        return self.write(number, "production.ini", text.replace("\n[server:main]", f"{lines}\n[server:main]"))

    def environment(self, number: int = 1) -> dict[str, str]:
        """Of the processes of Skywatch on a host."""
        values = dict(line.split("=", 1) for line in self.filled("environment", number).splitlines())
        values["DATABASE_URL"] = values["DATABASE_URL"].strip("'")
        # PostgreSQL is on two hosts.
        values["DATABASE_URL"] = values["DATABASE_URL"].replace(f"&host={Lan.address(3)}:5432", "")
        if self.bus == "sentinel":
            values["BUS"] = f"redis+sentinel://{','.join(Lan.address(n) for n in HOSTS)}/{MASTER}"
        return values

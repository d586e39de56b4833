"""Builds the container image and runs it as the compose files do: read-only root, no root user, aircraft in a browser.

``python -m tests.drills.image [--suite trixie] [--mirror URL] [--folder FOLDER]`` needs root, buildah, debootstrap,
PostgreSQL, Redis, chromium and packages. BASE is a fresh Debian made by debootstrap and imported. Each RUN line is
executed by buildah in a plain chroot, and so is the container: no registry and no nesting of containers is needed. What
a folder already holds is used again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from skywatch.settings import ROLES
from tests.drills.debian import CERTIFICATES, Debian, Failed, package_folders
from tests.drills.postgresql import find_programs

ROOT = Path(__file__).resolve().parents[2]
BASE, IMAGE = "localhost/skywatch-base", "localhost/skywatch"
PROGRAMS = ("buildah", "debootstrap", "curl", "redis-server", "chromium", "chromedriver")
SITE = "http://127.0.0.1:6543"
PROXIES = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}
# Run in a network and among mounts of its own; $root is the image's tree, $state its volume.
START = r"""
ip link set lo up
printf '127.0.0.1 localhost postgresql redis\n' >"$root/etc/hosts"
install -d "$root/run/secrets"
mount --bind "$root" "$root"
test -z "${secrets:-}" || mount --bind "$secrets" "$root/run/secrets"
mount -t proc proc "$root/proc"
mount --bind "$state" "$root/var/lib/skywatch"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for name in null urandom random zero; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mount -o remount,bind,ro "$root"
inside() {
    chroot --userspec="$USER_GROUP" --groups= "$root" /usr/bin/env --ignore-environment "${environment[@]}" "$@"
}
# The page in a browser of this machine, signed in, until aircraft are on the map.
shown() {
    printf '%s\n' "$PASSWORD" |
        "$python" -m tests.drills.browser http://127.0.0.1:6543/ --user ada --picture "$work/page.png"
}
"""
CHECKS = r"""
inside "${entrypoint[@]}" "${command[@]}" >"$work/image.log" 2>&1 &
for attempt in $(seq 120); do
    inside "${healthcheck[@]}" >"$work/health.log" 2>&1 && break
    kill -0 $! || { cat "$work/image.log"; exit 1; }
    sleep 0.5
done
inside "${healthcheck[@]}" || { cat "$work/image.log"; exit 1; }
echo "healthy after $SECONDS s"
pid=$(pgrep --full 'skywatch serve' | head -1)
test "$(stat --format %u /proc/$pid)" = "${USER_GROUP%:*}"
if inside touch /etc/skywatch/new /opt/skywatch/new 2>/dev/null; then echo 'the root can be written' >&2; exit 1; fi
test "$(stat --format '%u %a' "$state/secret.ini")" = "${USER_GROUP%:*} 600"
printf '%s\n%s\n' "$PASSWORD" "$PASSWORD" |
    inside skywatch user add /etc/skywatch/skywatch.ini ada --role superadmin --password-stdin
printf '{"username": "ada", "password": "%s"}' "$PASSWORD" >"$work/login.json"
sky() { curl --silent --show-error --fail "$@"; }
sky http://127.0.0.1:6543/api/v1/auth/login --json "@$work/login.json" >"$work/login"
TOKEN=$(sed 's/.*"access":"\([^"]*\)".*/\1/' "$work/login")
for attempt in $(seq 60); do
    sky --header "Authorization: Bearer $TOKEN" http://127.0.0.1:6543/api/v1/aircraft >"$work/aircraft.json"
    grep -q '"hex"' "$work/aircraft.json" && break
    sleep 0.5
done
grep -q '"hex"' "$work/aircraft.json"
echo "first aircraft after $SECONDS s"
test "$(curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:6543/api/v1/aircraft)" = 401
sky http://127.0.0.1:6543/ | grep '<title>'
shown
kill -TERM "$pid"
for attempt in $(seq 60); do pgrep --full 'skywatch serve' >/dev/null || break; sleep 0.5; done
if pgrep --full 'skywatch serve'; then exit 1; fi
if inside "${healthcheck[@]}"; then echo 'the health check does not notice the end' >&2; exit 1; fi
"""
# Every role of compose.production.yaml: arrays <service>_environment and <service>_command, and the servers they need.
PRODUCTION = r"""
as() {
    local -n its_environment="$1_environment"
    environment=("${its_environment[@]}")
    shift
    inside "$@"
}
wait_for() { for attempt in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; "$@"; }
redis-server --bind 127.0.0.1 --save '' --appendonly no >"$work/redis.log" &
install -d -o postgres "$work/database"
password=$(cat "$work/secrets/database_password")
postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$programs/$1" "${@:2}"); }
postgres initdb -D "$work/database" -U skywatch --auth=scram-sha-256 --pwfile="$work/secrets/database_password" -N \
    >"$work/postgresql.log"
postgres postgres -D "$work/database" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
    >>"$work/postgresql.log" 2>&1 &
export PGPASSWORD=$password
wait_for "$programs/psql" -h 127.0.0.1 -U skywatch -d postgres -c 'CREATE DATABASE skywatch'
SECONDS=0 pids=()
as init "${entrypoint[@]}" "${init_command[@]}" >"$work/init.log" 2>&1 || { cat "$work/init.log"; exit 1; }
for role in tracker api realtime worker ingest; do
    declare -n its_command="${role}_command"
    as "$role" "${entrypoint[@]}" "${its_command[@]}" >"$work/$role.log" 2>&1 &
done
wait_for as api "${healthcheck[@]}" || { tail -n 20 "$work"/*.log; exit 1; }
wait_for as realtime "${realtime_healthcheck[@]}"
echo "production: healthy after $SECONDS s"
for role in tracker api realtime worker ingest; do
    pid=$(pgrep --full "skywatch serve .*--role $role" | head -1)
    pids+=("$pid")
    test "$(stat --format %u "/proc/$pid")" = "${USER_GROUP%:*}"
    if grep --text --quiet --fixed-strings -e "$password" -e "$(cat "$work/secrets/secret")" "/proc/$pid/environ"; then
        echo "a secret is in the environment of $role" >&2
        exit 1
    fi
done
printf '%s\n%s\n' "$PASSWORD" "$PASSWORD" |
    as api skywatch user add /etc/skywatch/skywatch.ini ada --role superadmin --password-stdin
printf '{"username": "ada", "password": "%s"}' "$PASSWORD" >"$work/login.json"
sky() { curl --silent --show-error --fail "$@"; }
sky http://127.0.0.1:6543/api/v1/auth/login --json "@$work/login.json" >"$work/login"
TOKEN=$(sed 's/.*"access":"\([^"]*\)".*/\1/' "$work/login")
has_aircraft() { sky --header "Authorization: Bearer $TOKEN" http://127.0.0.1:6543/api/v1/aircraft | grep '"hex"'; }
wait_for has_aircraft
echo "production: first aircraft after $SECONDS s"
shown
as api skywatch settings /etc/skywatch/skywatch.ini >"$work/settings.log"
grep -E '^(secret|database_url) .*\(environment\)$' "$work/settings.log"
test "$(grep --count -E '^(secret|database_url) .*\(environment\)$' "$work/settings.log")" = 2
test ! -e "$state/skywatch.sqlite"
kill -TERM "${pids[@]}"
for attempt in $(seq 60); do pgrep --full 'skywatch serve' >/dev/null || break; sleep 0.5; done
if pgrep --full 'skywatch serve'; then exit 1; fi
"""


def main() -> int:
    """Build and run the image; 0 where everything worked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="trixie", help="the release of Debian")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--folder", type=Path, help="where; a temporary folder if not given")
    options = parser.parse_args()
    if os.geteuid() != 0 or None in map(shutil.which, PROGRAMS) or find_programs() is None:
        print(f"needs root, PostgreSQL, {', '.join(PROGRAMS)}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        # PostgreSQL, which does not run as root, has its data below; buildah would make the folder for root alone.
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        builder = Builder(folder / "storage")
        try:
            builder.import_base(Debian(folder / f"{options.suite}-base", options.suite, options.mirror, minimal=True))
            began = time.monotonic()
            builder.build()
            print(f"built in {time.monotonic() - began:.0f} s; {builder.size_mb():.0f} MB")
            _run_image(builder, folder / "work")
            _run_production(builder, folder / "production")
        except (Failed, subprocess.CalledProcessError) as failure:
            print(f"\nimage: FAILED: {failure}", file=sys.stderr)
            return 1
    print("\nimage: every step worked")
    return 0


class Builder:
    """buildah with a storage of its own."""

    def __init__(self, storage: Path) -> None:
        self._storage = storage

    def import_base(self, debian: Debian) -> None:
        """The fresh Debian as the image BASE."""
        if self._is_there(BASE):
            return
        debian.make()
        if CERTIFICATES.is_file():
            # Where Debian takes further certificates from: ca-certificates, which the Dockerfile installs, adds them.
            target = debian.root / "usr/local/share/ca-certificates/machine.crt"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CERTIFICATES, target)
            with (debian.root / "root/.npmrc").open("a") as settings:
                settings.write(f"\ncafile={CERTIFICATES}\n")
        container = self.call("from", "scratch").strip()
        self.call("copy", "--quiet", container, f"{debian.root}/", "/")
        self.call("commit", "--quiet", "--format", "docker", "--rm", container, BASE)

    def build(self) -> None:
        """The image, as the Dockerfile says."""
        words = ["bud", "--isolation", "chroot", "--format", "docker", "--layers=false", "--pull-never"]
        words += ["--build-arg", f"BASE={BASE}", "--tag", IMAGE, "--network", "host"]
        # Where this machine's packages come from. These variables are given to the build, and are none of the image.
        for name in sorted(PROXIES & set(os.environ)):
            words += ["--build-arg", f"{name}={os.environ[name]}"]
        words += [word for path in package_folders() for word in ("--volume", f"{path}:{path}:ro")]
        subprocess.run(["buildah", *self._options(), *words, str(ROOT)], check=True)

    def configuration(self) -> dict[str, Any]:
        """What the image says of how it is run."""
        return dict(json.loads(self.call("inspect", "--type", "image", IMAGE))["Docker"]["config"])

    def size_mb(self) -> float:
        """Of the image's layers."""
        images = json.loads(self.call("images", "--json", IMAGE))
        number, unit = re.fullmatch(r"([\d.]+) ?([KMG]B)", images[0]["size"]).groups()  # type: ignore[union-attr]
        return float(number) * {"KB": 1e-3, "MB": 1, "GB": 1e3}[unit]

    def tree(self) -> tuple[str, Path]:
        """A container of the image, and where its files are."""
        container = self.call("from", "--pull-never", IMAGE).strip()
        return container, Path(self.call("mount", container).strip())

    def call(self, *words: str) -> str:
        """What a command of buildah prints."""
        command = ["buildah", *self._options(), *words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def _options(self) -> list[str]:
        # No overlay file system and no mapping of users: both are often absent in a container or a small machine.
        return ["--storage-driver", "vfs", "--root", str(self._storage), "--runroot", f"{self._storage}.run"]

    def _is_there(self, image: str) -> bool:
        command = ["buildah", *self._options(), "inspect", "--type", "image", image]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _run_image(builder: Builder, work: Path) -> None:
    """Run it as its configuration says, with the options of compose.yaml."""
    config = builder.configuration()
    more = ["RECEIVER_ROOF=simulate aircraft=50", "STATION_LAT=47.45", "STATION_LON=8.56"]
    _run(builder, work, [_array("environment", [*config["Env"], *more]), _array("command", config["Cmd"])], CHECKS)


def _run_production(builder: Builder, work: Path) -> None:
    """Run every role as compose.production.yaml says, with a PostgreSQL and a Redis of this machine's programs."""
    config = builder.configuration()
    programs = find_programs()
    services = yaml.safe_load((ROOT / "compose.production.yaml").read_text())["services"]
    lines = [f"programs={shlex.quote(str(programs))} secrets={shlex.quote(str(work / 'secrets'))}"]
    for name in ("init", *ROLES):
        given = [
            f"{variable}={interpolated(str(text), SITE)}" for variable, text in services[name]["environment"].items()
        ]
        lines += [_array(f"{name}_environment", [*config["Env"], *given])]
        lines += [_array(f"{name}_command", services[name]["command"])]
    lines += [_array("realtime_healthcheck", services["realtime"]["healthcheck"]["test"][1:])]
    password = secrets.token_hex(24)
    _run(
        builder, work, lines, PRODUCTION,
        secret=secrets.token_hex(32), database_password=password,
        database_url=f"postgresql+psycopg://skywatch:{password}@postgresql/skywatch",
    )  # fmt: skip


def interpolated(text: str, base_url: str) -> str:
    """A value of a compose file with the defaults of its variables; only ``BASE_URL`` has none."""
    return re.sub(r"\$\{(\w+):([-?])([^}]*)\}", lambda found: found[3] if found[2] == "-" else base_url, text)


def _run(builder: Builder, work: Path, lines: list[str], checks: str, **files: str) -> None:
    """Run a script with a fresh volume in a container of the image; ``files`` are its secrets."""
    config = builder.configuration()
    container, root = builder.tree()
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(root / "var/lib/skywatch", work / "state")
    os.chown(work / "state", *map(int, config["User"].split(":")))
    (work / "secrets").mkdir()
    for name, text in files.items():
        (work / "secrets" / name).write_text(f"{text}\n")
    lines = [
        "set -euo pipefail",
        f"root={shlex.quote(str(root))} work={shlex.quote(str(work))} state={shlex.quote(str(work))}/state",
        f"USER_GROUP={config['User']} PASSWORD={secrets.token_urlsafe(15)} python={shlex.quote(sys.executable)}",
        _array("entrypoint", config["Entrypoint"]),
        _array("healthcheck", config["Healthcheck"]["Test"][1:]),
        *lines,
    ]
    # As a file: its text in a command line would be found by pgrep.
    script = work / "run.sh"
    script.write_text("\n".join([*lines, START, checks]))
    try:
        alone = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        subprocess.run([*alone, "bash", str(script)], cwd=ROOT, check=True)
    finally:
        builder.call("rm", container)


def _array(name: str, words: Sequence[str]) -> str:
    return f"{name}=({shlex.join(words)})"


if __name__ == "__main__":
    sys.exit(main())

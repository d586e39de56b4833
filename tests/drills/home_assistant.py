"""Starts the Home Assistant add-on in a fresh Debian as its Dockerfile and run.sh say, and opens it by ingress.

``python -m tests.drills.home_assistant [--wheel FILE] [--mirror URL] [--folder FOLDER]`` needs root, debootstrap,
chromium and packages. The root is what the base image holds, of the release that the Dockerfile names; each RUN line
is executed in it. The parts of Home Assistant and its Supervisor are played by an nginx, which has the Supervisor's
address, takes the path of ingress away and names it. What a folder already holds is used again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.drills.deb import DOWNGRADE, REVISION, head
from tests.drills.debian import Debian, Failed
from tests.drills.deployment import ROOT, fetch_source

ADDON = ROOT / "deploy/home-assistant"
# The addresses in Home Assistant's own network: the Supervisor, and an add-on.
SUPERVISOR, CONTAINER = "172.30.32.2", "172.30.33.7"
# Home Assistant itself, as the Supervisor sees it, and a browser in the house.
CORE, BROWSER = "172.30.32.1", "192.0.2.7"
INGRESS = "/api/hassio_ingress/ZWluIFRva2VuIHZvbiBJbmdyZXNz"
USER = {"admin_username": "ada"}
OPTIONS = {"receivers": [{"name": "demo", "input": "simulate aircraft=40"}], "auth_mode": "hybrid", "tls": False}
NGINX = f"""
pid /run/supervisor.pid; error_log stderr; events {{}}
http {{
  access_log off;
  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  server {{
    listen 8123;
    location {INGRESS}/ {{
      proxy_pass http://{CONTAINER}:8099/;
      proxy_bind {SUPERVISOR};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-For "$remote_addr, {CORE}";
      proxy_set_header X-Ingress-Path {INGRESS};
      proxy_set_header X-Remote-User-Name ada;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header Upgrade $http_upgrade;
    }}
  }}
}}
"""
WALK = r"""
mkdir -p /run /data
ip addr add SUPERVISOR/32 dev lo
ip addr add CONTAINER/32 dev lo
ip addr add BROWSER/32 dev lo
nginx -c /root/supervisor.conf
sky() { curl --silent --show-error --fail --interface SUPERVISOR "$@"; }
code() { curl --silent --output /dev/null --write-out '%{http_code}' "$@"; }
watchdog() { sky "http://CONTAINER:8099/api/v1/system/health?probe=live"; }
database() { /opt/skywatch/bin/python -c 'import sqlite3, sys
for row in sqlite3.connect("/data/skywatch.sqlite").execute(sys.argv[1]): print(*row)' "$1"; }
start() {
    COMMAND >/root/addon.log 2>&1 &
    ADDON=$!
    for attempt in $(seq 600); do
        watchdog >/dev/null 2>&1 && return
        kill -0 $ADDON || { cat /root/addon.log; return 1; }
        sleep 0.5
    done
    cat /root/addon.log
    return 1
}
# Of what is in the log nothing is for somebody to act upon. Left out is what the walk itself does: it asks nginx before
# the service is there and as somebody who is not the Supervisor, and keeps the machine busy.
quiet() {
    grep --invert-match --extended-regexp '\(111: Connection refused\)|access forbidden|ms for one tick' \
        /root/addon.log >/root/rest || true
    if grep --ignore-case --extended-regexp 'warn|error|critical|traceback|exception' /root/rest; then return 1; fi
}
# With the service, its container ends: nginx, too.
end() {
    kill -"$1" $ADDON
    wait $ADDON || test "$1" = KILL
    end_nginx "$1"
}
end_nginx() {
    MASTER=$(cat /run/skywatch-nginx.pid)
    WORKERS=$(pgrep --parent "$MASTER")
    # The master first: it starts another worker in the place of one that has ended.
    kill -"$1" "$MASTER" $WORKERS || true
    for pid in $MASTER $WORKERS; do while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; done
}
stop() { end TERM; }

echo '== an option that cannot be used'
cp /root/faulty.json /data/options.json
if COMMAND >/root/addon.log 2>&1; then exit 1; fi
grep '^The add-on cannot start. Option admin_username, admin_password: ' /root/addon.log
end_nginx TERM

echo '== the first start'
SECONDS=0
cp /root/options.json /data/options.json
start
echo "the watchdog is answered after $SECONDS s"
grep '^Added ada (superadmin). Remove admin_password from the options now.$' /root/addon.log
if grep --fixed-strings "$PASSWORD" /root/addon.log; then exit 1; fi
shown http://127.0.0.1:8123INGRESS/ ada
echo "aircraft in the browser after $SECONDS s"
# Nobody but the Supervisor gets in, and a user of Home Assistant is nobody here.
test "$(code http://CONTAINER:8099/)" = 403
test "$(code http://127.0.0.1:8123INGRESS/api/v1/auth/profile)" = 401
curl --silent http://127.0.0.1:8123INGRESS/console/sign-in | grep 'action="INGRESS/console/sign-in"'

# The browser has an address of its own: limits and the audit log do not take the whole house for one.
printf '{"username": "ada", "password": "%s"}' "$PASSWORD" >/root/login.json
test "$(code --interface BROWSER http://SUPERVISOR:8123INGRESS/api/v1/auth/login --json @/root/login.json)" = 200
database 'select * from audit_entries order by id desc limit 1' | grep --fixed-strings BROWSER
quiet

echo '== stopped, and started again'
stop
start
grep '^There is a user: admin_username and admin_password are not read.$' /root/addon.log
shown http://127.0.0.1:8123INGRESS/ ada
quiet

echo '== killed, and started again without the password'
end KILL
cp /root/later.json /data/options.json
start
shown http://127.0.0.1:8123INGRESS/ ada
quiet

echo '== upgraded from revision REVISION'
stop
/opt/skywatch/bin/python -B - REVISION sqlite:////data/skywatch.sqlite </root/downgrade.py
test "$(database 'select version_num from alembic_version')" = REVISION
start
test "$(database 'select version_num from alembic_version')" = HEAD
shown http://127.0.0.1:8123INGRESS/ ada
quiet
stop
ls -l /data
"""


def main() -> int:
    """Build and start the add-on; 0 where every step worked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="of Skywatch; one is built if not given")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--folder", type=Path, help="where; a temporary folder if not given")
    options = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("needs root and debootstrap", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        debian = Debian(folder / f"{suite()}-addon", suite(), options.mirror, minimal=True)
        began = time.monotonic()
        try:
            debian.make()
            words = build(debian, options.wheel or build_wheel(folder / "source"))
            print(f"built in {time.monotonic() - began:.0f} s")
            walk(debian, words)
        except (Failed, subprocess.CalledProcessError) as failure:
            print(f"\nadd-on: FAILED: {failure}", file=sys.stderr)
            return 1
    print(f"\nadd-on: every step worked, in {time.monotonic() - began:.0f} s")
    return 0


def suite() -> str:
    """The release of Debian that the Dockerfile names."""
    text = (ADDON / "Dockerfile").read_text(encoding="utf-8")
    return re.search(r"(?m)^FROM \S+/debian:(\w+)-slim$", text)[1]  # type: ignore[index]


def build_wheel(source: Path) -> Path:
    """The wheel of what this checkout has committed."""
    fetch_source(source)
    subprocess.run(["make", "wheel"], cwd=source, check=True)
    return next((source / "dist").glob("skywatch-*.whl"))


def build(debian: Debian, wheel: Path) -> list[str]:
    """Do in the root what the Dockerfile says; the words of its command."""
    text = re.sub(r"\\\n", " ", (ADDON / "Dockerfile").read_text(encoding="utf-8"))
    mark = debian.root / "root/dockerfile"
    is_done = mark.exists() and mark.read_text() == text
    environment: list[str] = []
    command: list[str] = []
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name == "COPY":
            *sources, target = rest.split()
            copy(debian.root, sources, target, wheel)
            # What an upgrade leaves there: a wheel that is no wheel must not be touched.
            (debian.root / "tmp/skywatch-0.0.1-py3-none-any.whl").touch()
        elif name == "RUN" and not is_done:
            debian.run(f"set -e\n{rest}", "", network=True)
        elif name == "ENV":
            environment.append(rest)
        elif name == "CMD":
            command = ["env", *environment, *json.loads(rest)]
    if not is_done:
        # What the walk itself uses, and the container does not hold.
        tools = "apt-get install -yqq --no-install-recommends curl iproute2 procps"
        debian.run(f"apt-get update -qq && {tools}", "", network=True)
        mark.write_text(text)
    return command


def copy(root: Path, sources: list[str], target: str, wheel: Path) -> None:
    """A COPY line: files of the add-on's folder, and the wheel next to them."""
    for source in sources:
        path = wheel if source.endswith(".whl") else ADDON / source
        place = root / target.lstrip("/")
        place = place / path.name if target.endswith("/") else place
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


def walk(debian: Debian, words: list[str]) -> None:
    """Start the add-on, open it, stop it and start it again."""
    root, password = debian.root / "root", secrets.token_urlsafe(15)
    shutil.rmtree(debian.root / "data", ignore_errors=True)
    (root / "supervisor.conf").write_text(NGINX)
    (root / "downgrade.py").write_text(DOWNGRADE)
    (root / "later.json").write_text(json.dumps(OPTIONS))
    for name, word in (("options.json", password), ("faulty.json", "short")):
        (root / name).write_text(json.dumps({**OPTIONS, **USER, "admin_password": word}))
    script = WALK.replace("COMMAND", " ".join(words)).replace("INGRESS", INGRESS)
    script = script.replace("SUPERVISOR", SUPERVISOR).replace("CONTAINER", CONTAINER).replace("BROWSER", BROWSER)
    script = script.replace("REVISION", REVISION).replace("HEAD", head())
    debian.run(f"PASSWORD={password}\n{script}", password, network=False)


if __name__ == "__main__":
    sys.exit(main())

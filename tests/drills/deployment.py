"""Runs the manual's pages on deployment and on the Raspberry Pi in a fresh Debian, word for word.

``python -m tests.drills.deployment [--page deployment] [--suite bookworm] [--mirror URL] [--folder FOLDER]`` needs
root, debootstrap and packages, and takes some minutes. Every block marked ``bash`` is run, from the first line to the
``curl`` through nginx; the step between, which fetches the source, is a clone of this checkout. Then the service
is looked at while it runs. What a folder already holds is used again.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.drills.debian import Debian, Failed
from tests.drills.pages import Block, blocks

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "usr/local/src/skywatch"
# The headings whose blocks download something; all others run in a network of their own.
DOWNLOADS = ("1. Packages", "2. Skywatch", "Install")
# What must hold once the page is done, as lines of a shell in the same Debian.
CHECKS = {
    "deployment": r"""
systemd-analyze verify --man=no /etc/systemd/system/skywatch.target /etc/systemd/system/skywatch-*.service
for role in tracker api realtime worker ingest; do
    pid=$(pgrep --full "skywatch serve .*--role $role")
    test "$(stat --format %U /proc/$pid)" = skywatch
    grep --text --quiet '^CapEff:[[:space:]]*0*$' /proc/$pid/status
    tr '\0' '\n' </proc/$pid/environ | grep '^SECRET=' >/dev/null
done
test "$(stat --format '%U %a' /etc/skywatch/environment)" = "root 600"
if runuser -u nobody -- cat /etc/skywatch/production.ini; then exit 1; fi
curl --silent --head http://sky.example.org/ | grep '^Location: https://sky.example.org/' >/dev/null
sky() { curl --silent --fail --cacert /root/sky.pem "$@"; }
test "$(sky --output /dev/null --write-out '%{http_code}' https://sky.example.org/data/aircraft.json)" = 401
printf '{"username": "ada", "password": "%s"}' "$PASSWORD" >/root/login.json
sky https://sky.example.org/api/v1/auth/login --json @/root/login.json >/root/login
TOKEN=$(sed 's/.*"access":"\([^"]*\)".*/\1/' /root/login)
sky --header "Authorization: Bearer $TOKEN" --request PATCH --json '{"read_access": "public"}' \
    https://sky.example.org/api/v1/feature-access/aircraft >/dev/null
sky https://sky.example.org/data/aircraft.json | grep '"hex"' >/dev/null
echo "the first aircraft at the latest $SECONDS s after the step behind the downloads"
sky https://sky.example.org/console >/dev/null
install -d /usr/local/share/tar1090/html && echo '<title>tar1090</title>' >/usr/local/share/tar1090/html/index.html
cp /usr/local/src/skywatch/deploy/nginx/tar1090.conf /etc/skywatch/nginx.d/
nginx -t && systemctl restart nginx
sky https://sky.example.org/tar1090/ | grep tar1090 >/dev/null
sky https://sky.example.org/tar1090/data/aircraft.json | grep '"hex"' >/dev/null
""",
    "raspberry-pi": """
systemd-analyze verify --man=no skywatch.service
pid=$(pgrep --full "skywatch serve")
test "$(stat --format %U /proc/$pid)" = skywatch
test "$(stat --format '%U:%G %a' /etc/skywatch/skywatch.ini)" = "root:skywatch 640"
grep --quiet '^receiver.roof = beast localhost:30005$' /etc/skywatch/skywatch.ini
test "$(grep --count '^station_l' /etc/skywatch/skywatch.ini)" = 2
curl --silent --fail http://127.0.0.1:6543/ | grep '<title>'
SKYWATCH_PASSWORD="$PASSWORD" skywatch radar --once --username ada http://127.0.0.1:6543
echo "the first aircraft at the latest $SECONDS s after the step behind the downloads"
""",
}


def main() -> int:
    """Run the pages; 0 where each went through."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", choices=[*CHECKS], action="append", help="only this one")
    parser.add_argument("--suite", default="bookworm", help="the release of Debian")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--folder", type=Path, help="where; a temporary folder if not given")
    options = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("needs root and debootstrap", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        for page in options.page or CHECKS:
            debian = Debian((options.folder or Path(temporary)) / page, options.suite, options.mirror)
            began = time.monotonic()
            try:
                _run(debian, page)
            except Failed as failure:
                print(f"\n{page}: FAILED: {failure}", file=sys.stderr)
                return 1
            print(f"\n{page}: every command worked, in {time.monotonic() - began:.0f} s")
    return 0


def _run(debian: Debian, page: str) -> None:
    debian.make()
    password = secrets.token_urlsafe(15)
    every = blocks(ROOT / "docs" / f"{page}.md")
    fetch_source(debian.root / SOURCE)
    mark = debian.root / "root/downloaded"
    if not mark.exists():
        began = time.monotonic()
        debian.run(_script([block for block in every if block.heading in DOWNLOADS]), password, network=True)
        # Packages were installed in the network of this machine, where another PostgreSQL may have the port.
        for path in debian.root.glob("etc/postgresql/*/main/postgresql.conf"):
            path.write_text(re.sub(r"(?m)^port = \d+", "port = 5432", path.read_text()))
        print(f"== {page}: packages and code after {time.monotonic() - began:.0f} s")
        mark.touch()
    others = _script([block for block in every if block.heading not in DOWNLOADS])
    checks = f"echo '== checks'; PASSWORD={password}; set -x{CHECKS[page]}"
    debian.run(f"{others}\n{checks}", password, network=False, folder=f"/{SOURCE}")


def fetch_source(folder: Path) -> None:
    """A clone of what this checkout has committed."""
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)


def _script(several: list[Block]) -> str:
    return "\n".join(f"echo '== {block.heading}'\n{block.text}" for block in several)


if __name__ == "__main__":
    sys.exit(main())

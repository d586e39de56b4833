"""Builds the Debian package in a fresh Debian and walks it in another one: install, upgrade, remove, purge.

``python -m tests.drills.deb [--suite bookworm] [--mirror URL] [--folder FOLDER]`` needs root, debootstrap and packages,
and takes some minutes for each release. The upgrade goes from a package of the same tree with a lower version, over a
database of an older revision. At the end the package is installed once more, under that Debian's systemd. lintian of
the same Debian may find no error. What a folder already holds is used again.
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

from tests.drills.booted import run_booted
from tests.drills.debian import Debian, Failed
from tests.drills.deployment import ROOT, SOURCE, fetch_source

SUITES = ("bookworm", "trixie")
REVISION = "0028"
BUILDERS = "make python3-venv python3 dpkg-dev lintian ca-certificates git"
# What the walk itself uses; python3 runs our systemctl.
TOOLS = "curl procps systemd man-db ca-certificates python3"
LOWER = "0.0.1-1"
BUILD = """
make deb
package=$(ls dist/skywatch_*.deb)
lintian --version
lintian --fail-on error --tag-display-limit 0 --allow-root $package
# The same tree with a lower version.
rm -rf /root/lower && dpkg-deb --raw-extract $package /root/lower
sed -i "s/^Version: .*/Version: LOWER/" /root/lower/DEBIAN/control
dpkg-deb --root-owner-group -Zgzip -z1 --build /root/lower /root/lower.deb
cp $package /root/skywatch.deb
du -h --apparent-size /root/skywatch.deb
"""
# Files that a purge may leave: the caches and records of apt, dpkg and the linker, logs, and this walk's own.
OTHERS = "/dev|/proc|/run|/sys|/tmp|/root|/var/log|/var/cache|/var/lib/apt|/var/lib/dpkg|/var/lib/systemd|/etc/[^/]*-"
WALK = r"""
rm -rf /usr/sbin/policy-rc.d /run/drill
mkdir -p /run/systemd/system
# Else apt leaves out /usr/local, where the systemctl of the drill is.
echo "DPkg::Path \"$PATH\";" >/etc/apt/apt.conf.d/98drill
INI=/etc/skywatch/skywatch.ini
LOG=/var/log/skywatch.log
DATABASE=sqlite:////var/lib/skywatch/skywatch.sqlite
list() { find / -xdev -regextype egrep -regex '(OTHERS)(/.*)?' -prune -o -print | grep -v __pycache__ | sort; }
install() { apt-get install --yes --quiet --no-install-recommends "$@"; }
sky() { curl --silent --show-error --fail "$@"; }
healthy() { sky --retry 300 --retry-delay 1 --retry-all-errors http://127.0.0.1:6543/api/v1/system/health >/dev/null; }
aircraft() {
    printf '{"username": "ada", "password": "%s"}' "$PASSWORD" >/root/login.json
    TOKEN=$(sky http://127.0.0.1:6543/api/v1/auth/login --json @/root/login.json | sed 's/.*"access":"\([^"]*\)".*/\1/')
    for attempt in $(seq 60); do
        sky --header "Authorization: Bearer $TOKEN" http://127.0.0.1:6543/api/v1/aircraft >/root/aircraft.json
        grep -q '"hex"' /root/aircraft.json && return
        sleep 0.5
    done
    return 1
}
revision() { /usr/lib/skywatch/bin/python -c '
import sqlite3
database = sqlite3.connect("/var/lib/skywatch/skywatch.sqlite")
print(database.execute("select version_num from alembic_version").fetchone()[0])
'; }
# Of what is in the log nothing is for somebody to act upon, but for a busy machine; the next look begins here.
quiet() {
    grep --invert-match 'ms for one tick' $LOG >/root/rest || true
    if grep --ignore-case --extended-regexp 'warn|error|critical|traceback|exception' /root/rest; then return 1; fi
    : >$LOG
}
absent() { if test -e "$1"; then echo "$1 is there" >&2; return 1; fi; }
list >/root/before
getent passwd | sort >/root/users

echo '== install the lower version'
SECONDS=0
install /root/lower.deb
healthy
skywatch setup-link $INI | grep '^To create the first administrator, open this link: http://127.0.0.1:6543/#/setup?token='
skywatch user add $INI ada --role superadmin
aircraft
echo "the first aircraft $SECONDS s after the start of the installation"
test "$(stat --format %U /proc/$(pgrep --full 'skywatch serve'))" = skywatch
test "$(stat --format '%U:%G %a' $INI)" = "root:skywatch 640"
test "$(stat --format '%U:%G %a' /etc/skywatch/secret.ini)" = "root:skywatch 640"
if runuser -u nobody -- cat $INI /etc/skywatch/secret.ini; then exit 1; fi
test "$(stat --format '%U:%G %a' /var/lib/skywatch)" = "skywatch:skywatch 750"
find /var/lib/skywatch -printf '%u:%g %m %p\n'
test -z "$(find /var/lib/skywatch ! -user skywatch -o -perm /7)"
sky http://127.0.0.1:6543/ | grep '<title>'
test "$(curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:6543/api/v1/aircraft)" = 401
systemctl is-enabled skywatch.service
for unit in tracker api realtime worker; do
    if systemctl is-enabled skywatch-$unit.service; then exit 1; fi
done
shown http://127.0.0.1:6543/ ada
systemd-analyze verify --man=no $(dpkg --listfiles skywatch | grep -E '/skywatch[a-z-]*\.(service|target)$')
man --where skywatch
quiet
bash -c '. /usr/share/bash-completion/completions/skywatch && complete -p skywatch'

echo '== killed, and started again'
kill -KILL "$(cat /run/drill/skywatch.service)"
systemctl restart skywatch
healthy
aircraft
quiet

echo '== upgrade from revision REVISION, with a changed configuration'
systemctl stop skywatch
skywatch doctor $INI
runuser -u skywatch -- /usr/lib/skywatch/bin/python -B - REVISION $DATABASE </root/downgrade.py
test "$(revision)" = REVISION
echo 'station_name = Drill' >/root/name
sed -i '/^auth_mode/r /root/name' $INI
secret=$(sha256sum /etc/skywatch/secret.ini)
install /root/skywatch.deb
test "$(revision)" = HEAD
healthy
aircraft
grep '^station_name = Drill$' $INI
test "$(sha256sum /etc/skywatch/secret.ini)" = "$secret"

echo '== a database that cannot be upgraded'
sed -i 's|^database_url = .*|database_url = sqlite:////nowhere/skywatch.sqlite|' $INI
if install --reinstall /root/skywatch.deb; then exit 1; fi
if pgrep --full 'skywatch serve'; then exit 1; fi
sed -i 's|^database_url = .*|database_url = '$DATABASE'|' $INI
dpkg --configure skywatch
healthy

echo '== no room for the upgrade of the database'
systemctl stop skywatch
runuser -u skywatch -- /usr/lib/skywatch/bin/python -B - REVISION $DATABASE </root/downgrade.py
mount -t tmpfs -o size=40M,mode=750,uid=$(id -u skywatch),gid=$(id -g skywatch) tmpfs /mnt
cp --archive /var/lib/skywatch/. /mnt
rm -r /var/lib/skywatch/*
mount --bind /mnt /var/lib/skywatch
dd if=/dev/zero of=/var/lib/skywatch/filling bs=4k 2>/dev/null || true
if install --reinstall /root/skywatch.deb; then exit 1; fi
if pgrep --full 'skywatch serve'; then exit 1; fi
rm /var/lib/skywatch/filling
dpkg --configure skywatch
test "$(revision)" = HEAD
healthy
aircraft

echo '== no room for anything else'
dd if=/dev/zero of=/var/lib/skywatch/filling bs=4k 2>/dev/null || true
: >$LOG
systemctl restart skywatch
healthy
sky http://127.0.0.1:6543/api/v1/system/health | grep '"only 0 MB free"' >/dev/null
cat $LOG
rm /var/lib/skywatch/filling
systemctl stop skywatch
umount /var/lib/skywatch
cp --archive /mnt/. /var/lib/skywatch
umount /mnt
systemctl start skywatch
healthy

echo '== remove: the data stays'
apt-get remove --yes --quiet skywatch
if pgrep --full 'skywatch serve'; then exit 1; fi
absent /usr/lib/skywatch
absent /usr/bin/skywatch
test -s /var/lib/skywatch/skywatch.sqlite
test -s $INI

echo '== install again: the same users'
install /root/skywatch.deb
healthy
aircraft

echo '== purge'
echo 'DATABASE_URL=postgresql://' >/etc/skywatch/environment
apt-get purge --yes --quiet skywatch
absent /var/lib/skywatch
absent /etc/skywatch
list >/root/after
getent passwd | sort | diff /root/users -
diff /root/before /root/after
"""
# The same Debian with its own systemd, which forbids the service what its unit says and starts it again.
BOOTED = r"""
INI=/etc/skywatch/skywatch.ini
sky() { curl --silent --show-error --fail "$@"; }
healthy() { sky --retry 300 --retry-delay 1 --retry-all-errors http://127.0.0.1:6543/api/v1/system/health >/dev/null; }
shown_by() { systemctl show --property "$1" --value skywatch; }

echo '== systemd: install'
SECONDS=0
apt-get install --yes --quiet --no-install-recommends /root/skywatch.deb
healthy
echo "healthy $SECONDS s after the start of the installation"
skywatch user add $INI ada --role superadmin
systemctl status --no-pager skywatch
test "$(shown_by ActiveState)/$(shown_by SubState)/$(shown_by NRestarts)" = active/running/0
STATUS="/proc/$(shown_by MainPID)/status"
test "$(grep --extended-regexp --count '^(CapEff:.0+|NoNewPrivs:.1|Seccomp:.2)$' "$STATUS")" = 3
test -z "$(find /var/lib/skywatch ! -user skywatch -o -perm /7)"
test "$(skywatch doctor $INI | grep --count 'listen: port 654[34] is in use by a running Skywatch')" = 2

echo '== systemd: killed'
kill -KILL "$(shown_by MainPID)"
SECONDS=0
sleep 1
healthy
echo "healthy $SECONDS s after the kill"
test "$(shown_by NRestarts)" = 1

echo '== systemd: restart'
systemctl restart skywatch
healthy
journalctl --unit skywatch --no-pager --output cat | grep --invert-match 'ms for one tick' >/root/rest
if grep --ignore-case --extended-regexp 'warn|error|critical|traceback|exception' /root/rest; then exit 1; fi

echo '== systemd: purge'
apt-get purge --yes --quiet skywatch
if pgrep --full 'skywatch serve'; then exit 1; fi
test ! -e /etc/skywatch
test -z "$(systemctl list-units --all --plain --no-legend 'skywatch*')"
test -z "$(systemctl --failed --plain --no-legend)"
"""
DOWNGRADE = """
import sys

from skywatch.core.database import engine, migrations

migrations.downgrade(engine.create_engine(sys.argv[2]), sys.argv[1])
"""


def main() -> int:
    """Build and walk the package on each release; 0 where each went through."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", help="a release of Debian; bookworm and trixie if not given")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--folder", type=Path, help="where; a temporary folder if not given")
    options = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("needs root and debootstrap", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        for suite in options.suite or SUITES:
            began = time.monotonic()
            try:
                _walk(options.folder or Path(temporary), suite, options.mirror)
            except Failed as failure:
                print(f"\n{suite}: FAILED: {failure}", file=sys.stderr)
                return 1
            print(f"\n{suite}: every step worked, in {time.monotonic() - began:.0f} s")
    return 0


def _walk(folder: Path, suite: str, mirror: str) -> None:
    base = Debian(folder / f"{suite}-base", suite, mirror)
    base.make()
    builder = Debian(folder / suite, suite, mirror)
    if not (builder.root / "root/skywatch.deb").exists():
        _copy(base, builder)
        fetch_source(builder.root / SOURCE)
        builder.run(_apt(BUILDERS), "", network=True)
        builder.run(BUILD.replace("LOWER", LOWER), "", network=True, folder=f"/{SOURCE}")
    # A walk that has failed leaves nothing for the next.
    fresh = Debian(folder / f"{suite}-walk", suite, mirror)
    _copy(base, fresh)
    for name in ("skywatch.deb", "lower.deb"):
        shutil.copy(builder.root / "root" / name, fresh.root / "root")
    fresh.copy_systemctl()
    (fresh.root / "root/downgrade.py").write_text(DOWNGRADE)
    fresh.run(_apt(f"{TOOLS} {_dependencies(fresh.root / 'root/skywatch.deb')}"), "", network=True)
    password = secrets.token_urlsafe(15)
    walk = WALK.replace("OTHERS", OTHERS).replace("REVISION", REVISION).replace("HEAD", head())
    fresh.run(f"PASSWORD={password}\n{walk}", password, network=False)
    run_booted(fresh.root, BOOTED, password)


def _copy(base: Debian, target: Debian) -> None:
    """Put the fresh Debian in the place of whatever is there."""
    shutil.rmtree(target.root, ignore_errors=True)
    subprocess.run(["cp", "--archive", base.root, target.root], check=True)


def _apt(packages: str) -> str:
    return f"apt-get update --quiet --quiet\napt-get install --yes --quiet --quiet --no-install-recommends {packages}\n"


def _dependencies(package: Path) -> str:
    """The names of the packages that a package depends on."""
    command = ["dpkg-deb", "--field", package, "Depends"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return " ".join(re.findall(r"(?:^|, )([\w.+-]+)", text))


def head() -> str:
    """The newest revision of the schema."""
    return max(path.name[:4] for path in (ROOT / "alembic/versions").glob("[0-9]*.py"))


if __name__ == "__main__":
    sys.exit(main())

"""Builds the Debian package of Skywatch for the Debian that this runs on, from a wheel: ``make deb``.

Everything lies below /usr/lib/skywatch, an environment of Debian's own Python with the packages of the package index,
so that nothing is shared with other packages. Needs python3-venv and dpkg.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from email.utils import formatdate
from pathlib import Path

HERE = Path(__file__).resolve().parent
UNITS = HERE.parent / "systemd"
PYTHON = "/usr/bin/python3"
# Every database and bus that the settings can name.
EXTRAS = "postgresql,redis,nats,apprise"
TREE = "usr/lib/skywatch"
PARTS = ("bin", "lib", "pyvenv.cfg")
CONFIGURATION = "/etc/skywatch/skywatch.ini"
# Whoever builds the package is who answers for it; DEBFULLNAME and DEBEMAIL name them, as in Debian's own tools.
MAINTAINER = "{} <{}>".format(
    os.environ.get("DEBFULLNAME", "Skywatch maintainers"), os.environ.get("DEBEMAIL", "skywatch@sky.example.org")
)
SCRIPTS = ("postinst", "prerm", "postrm")
# Where Debian keeps units: from 13 on everything is below /usr.
UNIT_FOLDERS = {"12": "lib/systemd/system"}
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/skywatch",
    "zsh": "usr/share/zsh/vendor-completions/_skywatch",
    "fish": "usr/share/fish/vendor_completions.d/skywatch.fish",
}
PROGRAM = f"""#!/{TREE}/bin/python -I
import sys

from skywatch.cli import main

sys.exit(main())
"""
DESCRIPTION = """\
Description: real-time aircraft tracking service
 Skywatch receives aircraft from ADS-B decoders such as readsb and dump1090,
 shows them on a map, keeps their history, raises alerts and safety events,
 and offers a REST API and a real-time channel.
 .
 The packages that it needs from the Python Package Index are contained.
"""


class Failure(Exception):
    """A step that did not work; ``str()`` is for people."""


def main() -> int:
    """Build the package and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="of Skywatch, with the web application in it")
    parser.add_argument("--output", type=Path, default=Path("dist"), help="the folder of the package")
    parser.add_argument("--work", type=Path, default=Path("build/deb"), help="a folder for what is on the way")
    parser.add_argument("--compression", choices=("xz", "gzip"), default="xz", help="gzip is larger and much faster")
    options = parser.parse_args()
    try:
        print(build(options.wheel, options.output, options.work, options.compression))
    except (Failure, OSError, subprocess.CalledProcessError) as failure:
        print(f"deb: {failure}", file=sys.stderr)
        return 1
    return 0


def build(wheel: Path, output: Path, work: Path, compression: str) -> Path:
    """The path of the package."""
    number = release()
    if not wheel.is_file():
        raise Failure(f"{wheel}: there is no such wheel; `make wheel` builds one")
    version = f"{wheel.name.split('-')[1]}-1~deb{number}"
    root = work.resolve() / "root"
    shutil.rmtree(root, ignore_errors=True)
    install_tree(wheel.resolve(), root, work.resolve() / "tools")
    install_files(root, number)
    install_documents(root, version)
    set_modes(root)
    write_control(root, version)
    output.mkdir(parents=True, exist_ok=True)
    package = output / f"skywatch_{version}_{architecture()}.deb"
    run("dpkg-deb", "--root-owner-group", f"-Z{compression}", "--build", root, package)
    return package


def release(version: Path = Path("/etc/debian_version")) -> str:
    """The number of the Debian that this is or is made of, such as 12; raises Failure."""
    match = re.match(r"(\d+)\.", version.read_text()) if version.is_file() else None
    if match is None or int(match[1]) < 12:
        raise Failure("builds on Debian 12 or newer and what is made of one, for the release that it runs on")
    return match[1]


def architecture() -> str:
    """Debian's name of this processor, such as arm64."""
    return output_of("dpkg", "--print-architecture").strip()


def python_version() -> str:
    """The first two numbers of Debian's own Python."""
    return output_of(PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()


def install_tree(wheel: Path, root: Path, tools: Path) -> None:
    """The environment: Debian's Python, Skywatch and what it needs."""
    tree, version = root / TREE, python_version()
    run(PYTHON, "-m", "venv", "--without-pip", "--symlinks", tree)
    if not (tools / "bin/pip").exists():
        run(PYTHON, "-m", "venv", tools)
    pip = [tools / "bin/pip", "--quiet", "--disable-pip-version-check", "--python", tree / "bin/python"]
    run(*pip, "install", "--no-compile", "--only-binary=:all:", f"{wheel}[{EXTRAS}]")
    lib = tree / "lib"
    # Programs, where the wheel lay, and fonts that are under a copyright of Adobe's; the reports are set in Vera.
    fonts = lib.rglob("reportlab/fonts/*.pfb")
    for path in [*(tree / "bin").iterdir(), *lib.rglob("skywatch-*.dist-info/direct_url.json"), *fonts]:
        path.unlink()
    remove_others(tree)
    forget_removed(lib)
    (tree / "bin/python").symlink_to(f"/usr/bin/python{version}")
    (tree / "bin/skywatch").write_text(PROGRAM)
    (tree / "pyvenv.cfg").write_text(f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n")


def remove_others(tree: Path) -> None:
    """Leave programs and packages in the environment: some packages have their data, or a manual page, beside them."""
    for path in tree.iterdir():
        if path.is_dir() and not path.is_symlink() and path.name not in PARTS:
            shutil.rmtree(path)
        elif path.name not in PARTS:
            path.unlink()


def forget_removed(lib: Path) -> None:
    """Take out of the lists of packages what was removed: its checksums would carry the path of the build."""
    for path in lib.rglob("*.dist-info/RECORD"):
        lines = path.read_text().splitlines(keepends=True)
        kept = [line for line in lines if (path.parent.parent / next(csv.reader([line]))[0]).exists()]
        path.write_text("".join(kept))


def install_files(root: Path, number: str) -> None:
    """Units, configuration and the command."""
    for path in sorted(UNITS.iterdir()):
        write(root / UNIT_FOLDERS.get(number, "usr/lib/systemd/system") / path.name, unit(path.read_text()))
    write(root / CONFIGURATION.lstrip("/"), (HERE / "skywatch.ini").read_text())
    write(root / "usr/bin/skywatch", (HERE / "skywatch").read_text())


def unit(text: str) -> str:
    """A unit as the package has it: its program, its configuration; the environment's file may be absent."""
    text = text.replace("/opt/skywatch/bin/skywatch", "/usr/bin/skywatch")
    text = text.replace("/etc/skywatch/production.ini", CONFIGURATION).replace(
        "/var/lib/skywatch/sky.ini", CONFIGURATION
    )
    return text.replace("EnvironmentFile=/", "EnvironmentFile=-/")


def install_documents(root: Path, version: str) -> None:
    """Manual page, completions, copyright, changelog and the overrides of lintian."""
    program = [root / TREE / "bin/python", "-B", "-m", "skywatch"]
    compress(root / "usr/share/man/man1/skywatch.1.gz", output_of(*program, "man"))
    for shell, path in COMPLETIONS.items():
        write(root / path, output_of(*program, "completion", shell))
    write(root / "usr/share/doc/skywatch/copyright", (HERE / "copyright").read_text())
    write(root / "usr/share/lintian/overrides/skywatch", (HERE / "lintian-overrides").read_text())
    entry = f"skywatch ({version}) unstable; urgency=medium\n\n  * CHANGELOG.md of the project has what changed.\n"
    compress(root / "usr/share/doc/skywatch/changelog.Debian.gz", f"{entry}\n -- {MAINTAINER}  {formatdate(0)}\n")


def set_modes(root: Path) -> None:
    """The same modes whatever the umask of the builder."""
    programs = {root / "usr/bin/skywatch", root / TREE / "bin/skywatch"}
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in programs else 0o644)
    root.chmod(0o755)


def write_control(root: Path, version: str) -> None:
    """The folder DEBIAN: what dpkg reads."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files]  # noqa: S324
    control = root / "DEBIAN"
    write(control / "md5sums", "".join(line for line in sums if "  etc/" not in line))
    write(control / "conffiles", f"{CONFIGURATION}\n")
    size = sum(path.stat().st_size for path in files) // 1024
    write(control / "control", control_text(version, architecture(), python_version(), size))
    for name in SCRIPTS:
        write(control / name, (HERE / name).read_text())
        (control / name).chmod(0o755)


def control_text(version: str, machine: str, python: str, size_kb: int) -> str:
    """The fields of the package."""
    depends = [f"python{python}", "adduser", "init-system-helpers (>= 1.54~)", "libc6 (>= 2.34)", "libgcc-s1"]
    fields = {
        "Package": "skywatch",
        "Version": version,
        "Architecture": machine,
        "Maintainer": MAINTAINER,
        "Installed-Size": size_kb,
        "Depends": ", ".join([*depends, "libstdc++6", "zlib1g"]),
        "Recommends": "ca-certificates",
        "Suggests": "ffmpeg, nginx, postgresql, postgresql-client, redis-server",
        "Section": "hamradio",
        "Priority": "optional",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items()) + DESCRIPTION


def write(path: Path, text: str) -> None:
    """A file, with the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def compress(path: Path, text: str) -> None:
    """A compressed file without a time stamp."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def run(*command: object) -> None:
    """Run a program; its output is shown."""
    subprocess.run([str(word) for word in command], check=True)


def output_of(*command: object) -> str:
    """What a program prints."""
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())

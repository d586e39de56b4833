"""Builds what a release consists of into ``dist/<version>/``."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import util
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

from release import lock, sbom
from release.record import ReleaseError
from release.source import commit_and_time

SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class Part:
    """A file that a command builds; ``{version}``, ``{commit}`` and ``{python}`` stand for what is released.

    Without ``needs`` in the tree there is no such part; without ``program`` on the machine the release ends. A tar.gz
    of a tool that writes the times of the build into it is packed again.
    """

    name: str
    command: tuple[str, ...]
    product: str
    needs: str = "setup.py"
    program: str = "make"
    is_packed_again: bool = False


CONTEXT = "dist/skywatch-{version}-image-context.tar.gz"
PARTS = (
    Part("wheel", ("make", "--no-print-directory", "wheel"), "dist/skywatch-{version}-py3-none-any.whl"),
    Part(
        "sdist", ("{python}", "-m", "build", "--sdist"), "dist/skywatch-{version}.tar.gz",
        is_packed_again=True,
    ),
    Part(
        "deb", ("make", "--no-print-directory", "deb"), "dist/skywatch_{version}*.deb",
        needs="deploy/debian/build.py", program="dpkg-deb",
    ),
    # With the modes of a checkout, which get into a wheel that is built of it.
    Part(
        "image context",
        (
            "git", "-c", "tar.umask=0022", "archive", "--format=tar.gz", "--prefix=skywatch-{version}/", "-o", CONTEXT,
            "{commit}",
        ),
        CONTEXT, needs=".git", program="git",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Build:
    """What is built: the version, its commit, and the notes for people."""

    root: Path
    version: str
    commit: str
    notes: str

    @property
    def folder(self) -> Path:
        return self.root / "dist" / self.version

    def words(self, texts: Iterable[str]) -> list[str]:
        names = {"version": self.version, "commit": self.commit, "python": sys.executable}
        return [text.format(**names) for text in texts]


def build(this: Build, parts: Iterable[Part] = PARTS) -> list[Path]:
    """Build everything; returns the files, the checksums last. Raises ReleaseError."""
    shutil.rmtree(this.folder, ignore_errors=True)
    this.folder.mkdir(parents=True)
    available = [part for part in parts if is_available(this, part)]
    for part in available:
        run(this, part)
    # Copied last: a later part may build the file of an earlier one again.
    files = [copy(this, part) for part in available]
    files += [write(this, name, text) for name, text in texts(this).items()]
    return [*files, write(this, SUMS, checksums(files))]


def is_available(this: Build, part: Part) -> bool:
    """Whether this tree has the part; raises ReleaseError where it has, and the machine cannot build it."""
    if not (this.root / part.needs).exists():
        print(f"{part.name}: not built, this tree has no {part.needs}")
        return False
    if shutil.which(part.program) is None:
        raise ReleaseError(f"{part.name}: needs the program {part.program}")
    return True


def run(this: Build, part: Part) -> None:
    """Build a part; raises ReleaseError with the last line of its output."""
    for stale in this.root.glob(this.words([part.product])[0]):
        stale.unlink()
    print(f"{part.name}: building ...", flush=True)
    # Times inside the files are those of the commit: a second build gives the same bytes where the tools allow it.
    _, at = commit_and_time(this.root)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": f"{at.timestamp():.0f}"}
    command = this.words(part.command)
    done = subprocess.run(command, cwd=this.root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        output = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
        raise ReleaseError(f"{part.name}: {' '.join(command)} failed: {output[-1]}")


def copy(this: Build, part: Part) -> Path:
    """Copy the file of a part into the folder of the release; raises ReleaseError where there is not exactly one."""
    pattern = this.words([part.product])[0]
    found = sorted(this.root.glob(pattern))
    if len(found) != 1:
        raise ReleaseError(f"{part.name}: expected one file {pattern}, found {len(found)}")
    copied = Path(shutil.copy2(found[0], this.folder))
    if part.is_packed_again:
        pack_again(copied, int(commit_and_time(this.root)[1].timestamp()))
    return copied


def pack_again(path: Path, at: int) -> None:
    """Write a tar.gz again in the order of names, with one time; contents and modes stay."""
    entries: list[tuple[tarfile.TarInfo, bytes]] = []
    with tarfile.open(path) as packed:
        for entry in packed:
            file = packed.extractfile(entry)
            entries.append((entry, file.read() if file else b""))
    with (
        path.open("wb") as written,
        gzip.GzipFile("", "wb", fileobj=written, mtime=at) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as packed,
    ):
        for entry, content in sorted(entries, key=lambda each: each[0].name):
            entry.mtime, entry.pax_headers = at, {}
            packed.addfile(entry, io.BytesIO(content))


def texts(this: Build) -> dict[str, str]:
    """The files that are written rather than built: notes, lock file and bill of materials; raises ReleaseError."""
    _, at = commit_and_time(this.root)
    uv, environment = uv_of(this.root)
    locked = lock.compile_lock(this.root, uv, environment)
    lock.check_lock(locked, requirements())
    bill = (
        json.dumps(sbom.document(this.root, this.version, this.commit, at.isoformat()), indent=2, ensure_ascii=False)
        + "\n"
    )
    sbom.check_document(bill, uv, environment)
    return {
        "NOTES.md": f"# Skywatch {this.version}\n\n{this.notes}\n",
        f"skywatch-{this.version}-requirements.txt": locked,
        f"skywatch-{this.version}-sbom.cdx.json": bill,
    }


def uv_of(root: Path) -> tuple[str, dict[str, str]]:
    """uv as `make` finds or fetches it, and its environment; raises ReleaseError."""
    spec = util.spec_from_file_location("environment", root / "deploy" / "environment.py")
    if spec is None or spec.loader is None:
        raise ReleaseError("deploy/environment.py is missing")
    environment = util.module_from_spec(spec)
    spec.loader.exec_module(environment)
    try:
        return environment.find_uv() or environment.fetch_uv(), environment.uv_environment()
    except environment.Failure as failure:
        raise ReleaseError(f"uv is needed: {failure}") from None


def requirements() -> list[str]:
    """What the installed Skywatch with the locked extra requires on this machine."""
    listed = map(Requirement, distribution("skywatch").requires or ())
    return [
        f"{one.name}{one.specifier}"
        for one in listed
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", lock.EXTRAS))
    ]


def write(this: Build, name: str, text: str) -> Path:
    """Write a file of the release."""
    path = this.folder / name
    path.write_text(text, encoding="utf-8")
    return path


def checksums(files: Iterable[Path]) -> str:
    """The text for ``sha256sum --check``."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(files))

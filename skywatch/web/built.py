"""The files of the built application, and why there are none where there are none.

``make`` builds into the folder ``built`` next to this file and says in ``built.state`` how far it is; a wheel contains
the folder. The build replaces the folder as a whole, so that a running service takes it up at the next request.
"""

from __future__ import annotations

import hashlib
import mimetypes
import os
import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent
PAGE = "index.html"
# Archives of the finer ground, which `make ground` builds: their names carry a digest of what they are made of.
GROUND = HERE / "ground"
ARCHIVE = re.compile(r"(?P<kind>ground|relief)-[0-9a-f]{10}\.pmtiles")
# Smaller files stay in memory; a thousand cells of the ground are read when somebody zooms in.
KEPT_BYTES = 300_000
MEDIA_TYPES = {
    ".catalogue": "application/json",
    ".cell": "application/json",
    ".topology": "application/json",
    ".webmanifest": "application/manifest+json",
    ".js": "text/javascript",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class File:
    """A file with its form packed by gzip, if that is smaller; ``body`` is None where it is read when asked for."""

    path: Path
    media_type: str
    etag: str
    is_immutable: bool
    body: bytes | None
    packed: bytes | None

    def read(self, *, gzip: bool) -> tuple[bytes, str | None]:
        """The content, and how it is encoded."""
        packed_path = self.path.with_name(f"{self.path.name}.gz")
        if gzip and self.packed is not None:
            return self.packed, "gzip"
        if gzip and self.body is None and packed_path.is_file():
            return packed_path.read_bytes(), "gzip"
        return (self.path.read_bytes() if self.body is None else self.body), None


class Application:
    """The built application; looked for again until it is there, and again when it was rebuilt."""

    def __init__(self, folder: Path = HERE / "built", state: Path = HERE / "built.state") -> None:
        self._folder = folder
        self._state = state
        self._files: dict[str, File] = {}
        self._built_at: int | None = None
        self._lock = threading.Lock()

    def file(self, path: str) -> File | None:
        """The file at an address below ``/``; the page itself is at the empty one."""
        # What a new build adds has an extension; an address of others without one is no reason to look at the disk.
        if not self._files or path in self._files or not path or "." in path.rpartition("/")[2]:
            self._refresh()
        return self._files.get(path)

    def reason(self) -> str:
        """Why there is no application: it is being built, could not be built, or was not built here."""
        try:
            return self._state.read_text(encoding="utf-8").strip()
        except OSError:
            return "The web application was not built. Run `make web`, or install a wheel, which contains it."

    def _refresh(self) -> None:
        try:
            built_at = (self._folder / PAGE).stat().st_mtime_ns
        except OSError:
            return
        if built_at == self._built_at:
            return
        with self._lock:
            if built_at != self._built_at:
                self._files = _files(self._folder, built_at)
                self._built_at = built_at


def ground_archives(folder: Path = GROUND) -> dict[str, str]:
    """The archives of the finer ground: their kind and the name of their file; none where it was not built."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return {}
    return {match["kind"]: name for name in names if (match := ARCHIVE.fullmatch(name))}


@lru_cache(maxsize=1)
def _files(folder: Path, built_at: int) -> dict[str, File]:
    """The files of one build; applications in one process share them."""
    return dict(_read(folder))


def _read(folder: Path) -> list[tuple[str, File]]:
    files = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in (".gz", ".map"):
            continue
        name = path.relative_to(folder).as_posix()
        is_small = path.stat().st_size <= KEPT_BYTES and path.suffix != ".cell"
        body = path.read_bytes() if is_small else None
        packed_path = path.with_name(f"{path.name}.gz")
        packed = packed_path.read_bytes() if is_small and packed_path.is_file() else None
        media_type = MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        is_immutable = name.startswith("assets/")
        # The name of an immutable file changes with its content.
        digest = hashlib.sha256(name.encode() if is_immutable else path.read_bytes()).hexdigest()[:20]
        file = File(path, media_type, digest, is_immutable, body, packed)
        files.append(("" if name == PAGE else name, file))
    return files

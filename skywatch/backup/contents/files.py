"""Files of a backup: copied with their hash, and compared with the manifest."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from skywatch.backup.contents.manifest import Manifest, StoredFile
from skywatch.backup.errors import Damaged, Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.backups import StoredFolder
from skywatch.core.private_files import private_opener

# Folders of features are below it, under their names.
FILES = "files"
CHUNK_BYTES = 1 << 20


def copy_file(source: Path, target: Path, progress: Progress) -> tuple[int, str]:
    """Copy into a new private file; its size and hash. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    with open(source, "rb") as reader, open(target, "wb", opener=private_opener) as writer:
        while data := reader.read(CHUNK_BYTES):
            digest.update(data)
            size += len(data)
            writer.write(data)
            progress.advance(len(data))
        writer.flush()
        os.fsync(writer.fileno())
    return size, digest.hexdigest()


def hash_file(path: Path, progress: Progress) -> tuple[int, str]:
    """Size and SHA-256 of a file; raises OSError."""
    digest, size = hashlib.sha256(), 0
    with open(path, "rb") as reader:
        while data := reader.read(CHUNK_BYTES):
            digest.update(data)
            size += len(data)
            progress.advance(len(data))
    return size, digest.hexdigest()


def stored_file(folder: Path, name: str, progress: Progress) -> StoredFile:
    """The entry of the manifest for a file that is in the backup's folder already."""
    size, sha256 = hash_file(folder / name, progress)
    return StoredFile(name, size, sha256)


def find_files(folder: StoredFolder) -> Iterator[tuple[Path, str]]:
    """Every regular file of a folder with its path below it (``/`` on every system), in order of names."""
    if folder.path is None:
        return
    for at, names, files in os.walk(folder.path):
        place = Path(at)
        if place == folder.path:
            names[:] = [name for name in names if name not in folder.without]
        names.sort()
        for name in sorted(files):
            path = place / name
            if path.is_symlink() or not path.is_file():
                continue
            yield path, path.relative_to(folder.path).as_posix()


def folder_bytes(folders: Iterable[StoredFolder]) -> int:
    """The size of all files of these folders; what is removed meanwhile does not count."""
    total = 0
    for folder in folders:
        for path, _ in find_files(folder):
            try:
                total += path.stat().st_size
            except OSError:
                continue
    return total


def copy_folder(folder: StoredFolder, target: Path, progress: Progress) -> Iterator[StoredFile]:
    """Copy the files of a feature's folder into a backup; a file that is removed meanwhile is left out."""
    for path, relative in find_files(folder):
        name = f"{FILES}/{folder.name}/{relative}"
        if not _is_text(name):
            raise Refused("the name of this file is not UTF-8", ascii(str(path)))
        copy = target / name
        try:
            copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            size, sha256 = copy_file(path, copy, progress)
        except FileNotFoundError:
            # Retention was faster.
            copy.unlink(missing_ok=True)
            continue
        except OSError as error:
            raise refusal_of(error, path) from None
        yield StoredFile(name, size, sha256)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def path_of(folder: Path, file: StoredFile) -> Path:
    """Where a file of a backup is; raises Damaged for a name that leads out of its folder."""
    parts = file.name.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\0" in file.name:
        raise Damaged(f"the manifest names a file outside of the backup ({file.name!a})", folder)
    return folder.joinpath(*parts)


def check_file(folder: Path, file: StoredFile, progress: Progress) -> None:
    """Raise Damaged unless a file of the backup is as the manifest has it, Refused where it cannot be read."""
    path = path_of(folder, file)
    try:
        _check_folders(folder, path)
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise Damaged("is not a file", path)
        if status.st_size != file.bytes:
            raise Damaged(f"has {status.st_size} bytes instead of {file.bytes}", path)
        _, sha256 = hash_file(path, progress)
    except (FileNotFoundError, NotADirectoryError):
        raise Damaged("is missing", path) from None
    except OSError as error:
        raise refusal_of(error, path) from None
    if sha256 != file.sha256:
        raise Damaged("was changed: it does not have the SHA-256 of the manifest", path)


def _check_folders(folder: Path, path: Path) -> None:
    """Raise Damaged where a folder on the way to a file is a link to somewhere else; raises OSError."""
    for parent in path.relative_to(folder).parents:
        if (folder / parent).is_symlink() and parent != Path():
            raise Damaged("is a link to another folder", folder / parent)


def check_files(folder: Path, manifest: Manifest, progress: Progress) -> None:
    """Raise Damaged unless all files are there and as they were."""
    for file in manifest.files:
        check_file(folder, file, progress)

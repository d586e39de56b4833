"""Puts the files of a backup into the folders of an installation; a restore that was ended early goes on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from skywatch.backup.contents.files import FILES, copy_file, find_files, hash_file, path_of
from skywatch.backup.contents.manifest import Manifest, StoredFile
from skywatch.backup.creation import stored_folders
from skywatch.backup.errors import Damaged, Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.backups import StoredFolder
from skywatch.settings import Settings

ENDING = ".restoring"


def check_folders(target: Path, manifest: Manifest, settings: Settings) -> None:
    """Raise Refused unless each folder is there for its files, and contains nothing but files of this backup."""
    folders = _folders(settings)
    names = {file.name for file in manifest.files}
    for file in _files(manifest):
        path_of(target, file)
        name = file.name.split("/")[1]
        folder = folders.get(name)
        if folder is None or folder.path is None:
            setting = folder.setting if folder is not None else "of a feature that this installation does not have"
            raise Refused(f"contains files of {name}, for which this installation has no folder ({setting})", target)
    for folder in folders.values():
        for path, relative in find_files(folder):
            if f"{FILES}/{folder.name}/{relative.removesuffix(ENDING)}" not in names:
                raise Refused(
                    f"contains files that are not in the backup ({path.name!a}); {folder.setting} must be empty",
                    folder.path,
                )
        _check_room(folder, manifest)


def _check_room(folder: StoredFolder, manifest: Manifest) -> None:
    """Raise Refused where the disk of a folder has no room for the files that are not there yet."""
    base = folder.path
    if base is None:
        return
    files = [file for file in _files(manifest) if file.name.split("/")[1] == folder.name]
    needed = sum(file.bytes for file in files if not base.joinpath(*file.name.split("/")[2:]).exists())
    free = shutil.disk_usage(next(parent for parent in [base, *base.absolute().parents] if parent.exists())).free
    if free < needed:
        raise Refused(f"needs {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free", base)


def place_files(target: Path, manifest: Manifest, settings: Settings, progress: Progress) -> None:
    """Copy every file to its place, those that are there already excepted; raises Refused and Damaged."""
    folders = _folders(settings)
    for file in _files(manifest):
        _, name, *rest = file.name.split("/")
        base = folders[name].path
        assert base is not None
        path = base.joinpath(*rest)
        try:
            if not _is_there(path, file, progress):
                _place(path_of(target, file), path, file, progress)
        except OSError as error:
            raise refusal_of(error, path) from None


def _is_there(path: Path, file: StoredFile, progress: Progress) -> bool:
    if not path.exists():
        return False
    if path.stat().st_size != file.bytes or hash_file(path, progress)[1] != file.sha256:
        raise Refused("is there and differs from the backup's", path)
    return True


def _place(source: Path, path: Path, file: StoredFile, progress: Progress) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}{ENDING}")
    temporary.unlink(missing_ok=True)
    _, sha256 = copy_file(source, temporary, progress)
    if sha256 != file.sha256:
        raise Damaged("was changed during the restore", source)
    os.replace(temporary, path)


def _folders(settings: Settings) -> dict[str, StoredFolder]:
    return {folder.name: folder for folder in stored_folders(settings)}


def _files(manifest: Manifest) -> Iterator[StoredFile]:
    """The files of features."""
    for file in manifest.files:
        if file.name.startswith(f"{FILES}/"):
            if file.name.count("/") < 2:
                raise Damaged(f"the manifest names {file.name!a}, which belongs to no feature")
            yield file

"""A backup as one encrypted file: complete, of one passphrase, and never changed or cut short unnoticed."""

import tarfile

import pytest

from skywatch.backup.download import MAGIC, PIECE, TAG, opened, sealed_pieces
from skywatch.backup.errors import Damaged, Refused

PASSPHRASE = "correct horse battery"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "skywatch-20260501T020000Z"
    (folder / "files" / "audio").mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    (folder / "database.sqlite").write_bytes(bytes(range(256)) * (PIECE // 100))
    (folder / "files" / "audio" / "a.ogg").write_bytes(b"")
    return folder


@pytest.fixture
def file(folder, tmp_path):
    path = tmp_path / "a.skywatch-backup"
    path.write_bytes(b"".join(sealed_pieces(folder, PASSPHRASE)))
    return path


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_was_in_the_folder_comes_out_again_and_nothing_of_it_is_readable_in_the_file(folder, file):
    assert b"database.sqlite" not in file.read_bytes()
    with opened(file, PASSPHRASE) as unpacked:
        assert contents(unpacked) == contents(folder)
    assert not unpacked.exists()
    with opened(folder, None) as itself:
        assert itself == folder


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "link"])
def test_a_file_that_would_be_written_elsewhere_is_no_backup(folder, tmp_path, monkeypatch, name):
    member = tarfile.TarInfo(name)
    if name == "link":
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    packed = member.tobuf() + b"\0" * 2 * tarfile.BLOCKSIZE
    monkeypatch.setattr("skywatch.backup.download._tar", lambda folder: [packed])
    path = tmp_path / "a.skywatch-backup"
    path.write_bytes(b"".join(sealed_pieces(folder, PASSPHRASE)))
    with pytest.raises(Damaged, match="contains what no backup has"), opened(path, PASSPHRASE):
        pass


def test_another_passphrase_or_none_is_refused(file):
    for passphrase in ("another passphrase", None):
        with pytest.raises(Refused), opened(file, passphrase):
            pass


def _head(body):
    return body.index(b"\n", len(MAGIC)) + 1


def _swapped(body):
    head, piece = _head(body), PIECE + TAG
    return body[:head] + body[head + piece : head + 2 * piece] + body[head : head + piece] + body[head + 2 * piece :]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body[:-1],
        lambda body: body[: _head(body) + PIECE + TAG],
        lambda body: body[: _head(body)],
        lambda body: body + b"x",
        lambda body: body[:-20] + b"x" + body[-19:],
        _swapped,
        lambda body: b"x" + body,
        lambda body: MAGIC + b"{}" + body[len(MAGIC) :],
    ],
)
def test_a_file_that_was_changed_is_no_backup(file, change):
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises((Damaged, Refused)), opened(file, PASSPHRASE):
        pass

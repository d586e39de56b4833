"""``skywatch new-feature``: what it refuses, and that its edits are undone to the letter."""

from __future__ import annotations

import subprocess

import pytest
from click.testing import CliRunner

from skywatch.cli import COMMANDS, group
from skywatch.cli import new_feature as cli
from tests.conftest import ROOT
from tools.new_feature import checkout, command, files
from tools.new_feature.edits import Edit, apply, edits, written
from tools.new_feature.names import Refusal, check_form, check_free, words

SHORT, LONG = "qa", "q" + "_kilometres" * 2 + "_longest"


def run(*arguments):
    done = CliRunner().invoke(group, ["new-feature", *arguments])
    return done.exit_code, done.stderr


def check(name):
    check_form(name)
    check_free(name, ROOT)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x", "is no name of a feature"),
        ("Photos", "is no name of a feature"),
        ("4photos", "is no name of a feature"),
        ("../photos", "is no name of a feature"),
        ("photos\n", "is no name of a feature"),
        ("photos_", "is no name of a feature"),
        ("photo__albums", "is no name of a feature"),
        ("p" * 32, "is no name of a feature"),
        ("lambda", "is a keyword of Python"),
        ("match", "is a keyword of Python"),
        ("switch", "is a reserved word of JavaScript"),
        ("list", "is a built-in of Python"),
        ("calendar", "is a module of Python's standard library"),
        ("acars", "is a room of skywatch already"),
        ("features", "is a room of skywatch already"),
        ("panel", "is a room of the web application already"),
        ("rule_fields", "is a variable of skywatch/features.py already"),
        ("police", "is a feature, a topic, a tag or a list of addresses already"),
        ("users", "already"),
        ("squawk", "is a member of an aircraft already"),
        ("rule", "is the beginning of a text's key in the web application already"),
    ],
)
def test_a_name_that_cannot_be_one_is_one_line(name, reason):
    with pytest.raises(Refusal) as caught:
        check(name)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_that_can_be_one():
    for name in (SHORT, LONG, "q2", "photo_albums"):
        check(name)
    assert words("photo_albums") == {
        "name": "photo_albums",
        "NAME": "PHOTO_ALBUMS",
        "Name": "PhotoAlbums",
        "variable": "photoAlbums",
        "dashed": "photo-albums",
        "title": "Photo albums",
    }


def test_an_installed_package_says_why_not(monkeypatch, tmp_path):
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    code, error = run("photos")
    assert (code, error.count("\n")) == (1, 1)
    assert "this is an installed package: run it in a git clone" in error
    assert "new-feature" not in COMMANDS


def test_a_refusal_is_one_line_and_exit_code_1():
    assert run("Photos") == (
        1,
        "skywatch: 'Photos' is no name of a feature: 2 to 31 lower-case letters and digits, a letter first, "
        "single underscores between\n",
    )


def test_only_what_it_wrote_is_removed():
    with pytest.raises(Refusal, match="system was not written by new-feature"):
        files.migration(ROOT, "system")
    permissions = next(edit for edit in edits(words("acars"), ROOT, ()) if edit.file.endswith("permissions.py"))
    with pytest.raises(Refusal, match="has not the line that new-feature wrote"):
        permissions.removed((ROOT / permissions.file).read_text(encoding="utf-8"))


def test_changes_that_are_not_committed_are_left_alone(tmp_path):
    with pytest.raises(Refusal, match="is no git repository"):
        checkout.check_clean(tmp_path)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    checkout.check_clean(tmp_path)
    (tmp_path / "mine.txt").touch()
    (tmp_path / "yours.txt").touch()
    with pytest.raises(Refusal, match=r"mine.txt and 1 more has changes that are not committed"):
        checkout.check_clean(tmp_path)


EVERY_PART = pytest.mark.parametrize("parts", [(), tuple(files.PARTS)], ids=["smallest", "every part"])


@EVERY_PART
@pytest.mark.parametrize("name", [SHORT, LONG])
def test_every_edit_has_its_place_and_is_undone_to_the_letter(name, parts, tmp_path):
    some = edits(words(name), ROOT, parts)
    before = {edit.file: (ROOT / edit.file).read_text(encoding="utf-8") for edit in some}
    for file, content in before.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content, encoding="utf-8")
    apply(tmp_path, some)
    written = {file: (tmp_path / file).read_text(encoding="utf-8") for file in before}
    assert all(name in written[file] and written[file] != before[file] for file in before)
    lines = [line for file, text in written.items() if file.endswith(".py") for line in text.splitlines()]
    assert max(map(len, lines)) <= 120
    apply(tmp_path, some, undo=True)
    assert {file: (tmp_path / file).read_text(encoding="utf-8") for file in before} == before


def test_nothing_is_written_where_one_edit_has_no_place(tmp_path):
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "b").write_text("two\n")
    with pytest.raises(Refusal, match="b has no place for the feature any more"):
        apply(tmp_path, [Edit("a", "x\n", "^one"), Edit("b", "x\n", "^three")])
    with pytest.raises(Refusal, match="a has not the line that new-feature wrote"):
        apply(tmp_path, [Edit("a", "x\n", "^one")], undo=True)
    assert (tmp_path / "a").read_text() == "one\n"


def test_a_migration_that_another_one_follows_stays(tmp_path):
    versions = tmp_path / files.VERSIONS
    versions.mkdir(parents=True)
    (versions / "0001_photos.py").write_text('revision = "0001"\ndown_revision = None\n')
    assert files.migration(tmp_path, "photos") == files.VERSIONS / "0001_photos.py"
    assert files.revisions(tmp_path) == ("0002", "0001")
    (versions / "0002_videos.py").write_text('revision = "0002"\ndown_revision = "0001"\n')
    with pytest.raises(Refusal, match=r"0002_videos.py follows the migration of photos"):
        files.migration(tmp_path, "photos")


def test_the_smallest_slice_changes_four_files_by_hand():
    changed = {edit.file for edit in edits(words("photos"), ROOT, ())} - {"docs/reference/examples.md"}
    assert changed == {
        "pyproject.toml",
        "skywatch/features.py",
        "skywatch/security/permissions.py",
        "web/src/features.ts",
    }


def test_the_edits_of_the_parts_that_were_written_are_removed(tmp_path):
    for edit in edits(words("photos"), ROOT, files.PARTS):
        (tmp_path / edit.file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / edit.file).write_text((ROOT / edit.file).read_text(encoding="utf-8"))
    apply(tmp_path, edits(words("photos"), tmp_path, ["topic"]))
    assert {edit.file for edit in written(words("photos"), tmp_path)} == {
        "docs/realtime.md",
        "docs/reference/examples.md",
        "pyproject.toml",
        "skywatch/features.py",
        "skywatch/security/permissions.py",
        "web/src/features.ts",
    }


def test_an_unknown_part_is_refused_and_so_is_one_at_removal():
    assert run("photos", "--with", "topic,members") == (
        1,
        "skywatch: --with members: a feature has no such part; there are topic, member, setting, manual\n",
    )
    assert "--with goes with a new feature" in run("photos", "--remove", "--with", "topic")[1]


@EVERY_PART
@pytest.mark.parametrize("name", [SHORT, LONG])
def test_files_of_any_name_can_be_tidied(name, parts, tmp_path):
    texts = files.contents({**words(name), "revision": "0002", "down_revision": "0001"}, parts)
    files.write(tmp_path, texts)
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    checkout.tidy(tmp_path, list(texts))


@pytest.mark.parametrize(("parts", "count"), [((), 8), (tuple(files.PARTS), 10)], ids=["smallest", "every part"])
def test_every_template_is_filled(parts, count):
    texts = files.contents({**words("photos"), "revision": "0002", "down_revision": "0001"}, parts)
    assert len(texts) == count
    assert not [place for place, text in texts.items() if "@@" in text or "FEATURE" in str(place)]


def test_what_cannot_be_generated_is_taken_back(monkeypatch, tmp_path):
    done = []

    def fail(root):
        raise Refusal("no manual")

    monkeypatch.setattr(checkout, "tidy", lambda root, paths: None)
    monkeypatch.setattr(checkout, "generate", fail)
    monkeypatch.setattr(command, "check_free", lambda name, root: None)
    monkeypatch.setattr(files, "revisions", lambda root: ("0002", "0001"))
    monkeypatch.setattr(files, "write", lambda root, texts: done.append("written"))
    monkeypatch.setattr(command, "edits", lambda own, root, parts: [])
    monkeypatch.setattr(command, "remove", lambda root, name, force: done.append("removed"))
    with pytest.raises(Refusal, match="no manual"):
        command.add(tmp_path, "photos", force=True)
    assert done == ["written", "removed"]

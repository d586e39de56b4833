"""``make release``: what is checked, recorded, built and tagged, in a repository of its own."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from dataclasses import replace

import pytest

from release import __main__ as command
from release import promise
from release.build import PARTS, SUMS, Build, Part, build, checksums, pack_again
from release.checks import pending, problems, schema_revisions
from release.promise import RECORDED
from release.record import Release, ReleaseError, parse, read, version_of
from release.source import COMMIT_FILE, commit_and_time, git
from tests.conftest import ROOT

pytestmark = pytest.mark.deep("starts servers or programs of its own")

CHANGELOG = "# Changelog\n\nVersions.\n\n## Unreleased\n\n* Something new.\n"
COMMIT = "0123456789" * 4


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A clean repository that can be released as 0.2.0."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Tester")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "tester@sky.example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "no-configuration"))
    root = tmp_path / "checkout"
    (root / "changelog.d").mkdir(parents=True)
    (root / "changelog.d" / "README.md").write_text("# Fragments\n")
    (root / "changelog.d" / "longer.md").write_text("* A longer memory.\n")
    (root / "CHANGELOG.md").write_text(CHANGELOG)
    (root / "RELEASES").write_text("# Releases\n")
    (root / "setup.py").write_text('setup(name="skywatch", version="0.2.0")\n')
    (root / ".gitignore").write_text("dist/\n")
    (root / RECORDED).parent.mkdir(parents=True)
    (root / RECORDED).write_text("GET /sky\n")
    for name in (".gitattributes", COMMIT_FILE):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    monkeypatch.setattr(promise, "openapi_document", dict)
    monkeypatch.setattr(promise, "promises", lambda document: ["GET /sky"])
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root)
    return root


def commit(root):
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Change something")


def no_files(this):
    return []


def released(root, **options):
    return command.release(root, dry_run=False, builder=options.pop("builder", no_files))


def test_a_clean_tree_with_something_new_can_be_released(root):
    assert problems(root) == []


def test_a_release_is_recorded_and_tagged(root):
    before = git(root, "rev-parse", "HEAD")
    released(root)
    assert read(root) == [Release("0.2.0", before, schema_revisions()[0])]
    assert git(root, "rev-parse", "v0.2.0^{commit}") == git(root, "rev-parse", "HEAD")
    assert git(root, "rev-parse", "HEAD^") == before
    assert git(root, "status", "--porcelain") == ""
    text = (root / "CHANGELOG.md").read_text()
    assert text.startswith("# Changelog\n\nVersions.\n\n## Unreleased\n\n## 0.2.0 (20")
    assert text.endswith(")\n\n* A longer memory.\n* Something new.\n")
    assert [path.name for path in (root / "changelog.d").iterdir()] == ["README.md"]


def test_a_dry_run_changes_nothing(root):
    before = git(root, "rev-parse", "HEAD")
    seen = []
    command.release(root, dry_run=True, builder=lambda this: seen.append(this) or [])
    assert seen == [Build(root, "0.2.0", before, "* A longer memory.\n* Something new.")]
    assert git(root, "rev-parse", "HEAD") == before
    assert git(root, "tag") == git(root, "status", "--porcelain") == ""


def test_a_release_that_ended_before_its_tag_is_continued(root):
    def failing(this):
        raise ReleaseError("deb: needs the program dpkg-deb")

    with pytest.raises(ReleaseError):
        released(root, builder=failing)
    recorded = git(root, "rev-parse", "HEAD")
    assert pending(root) == read(root)[0]
    assert problems(root) == []
    seen = []
    released(root, builder=lambda this: seen.append(this.notes) or [])
    assert seen == ["* A longer memory.\n* Something new."]
    assert git(root, "rev-parse", "HEAD") == git(root, "rev-parse", "v0.2.0^{commit}") == recorded
    assert pending(root) is None


def archive_of(root):
    """The sources of the last commit in a folder without git."""
    folder = root.with_name("archive")
    folder.mkdir()
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True).stdout
    subprocess.run(["tar", "--extract"], cwd=folder, input=packed, check=True)
    return folder


@pytest.mark.parametrize("is_released", [True, False])
def test_the_same_is_built_of_the_archive_of_a_commit(root, is_released):
    builds = []
    command.release(root, dry_run=not is_released, builder=lambda this: builds.append(this) or [])
    archive = archive_of(root)
    assert problems(archive) == []
    command.release(archive, dry_run=True, builder=lambda this: builds.append(this) or [])
    assert builds[0] == replace(builds[1], root=root)
    assert commit_and_time(archive) == commit_and_time(root)


def test_sources_of_no_commit_are_not_built(root):
    archive = archive_of(root)
    shutil.copy(ROOT / COMMIT_FILE, archive / COMMIT_FILE)
    with pytest.raises(ReleaseError, match="neither a checkout nor a `git archive`"):
        command.release(archive, dry_run=True, builder=no_files)


def test_a_build_that_changes_the_tree_is_not_tagged(root):
    with pytest.raises(ReleaseError, match="the build changed the tree"):
        released(root, builder=lambda this: (root / "left.txt").write_text("x") and [])
    assert git(root, "tag") == ""


def test_the_release_after_it_starts_from_an_empty_list(root):
    released(root)
    (root / "setup.py").write_text('setup(name="skywatch", version="0.2.1")\n')
    commit(root)
    assert problems(root) == [
        "changelog: nothing is new: CHANGELOG.md lists nothing as unreleased, and changelog.d has no fragment"
    ]
    (root / "changelog.d" / "more.md").write_text("* More.\n")
    commit(root)
    released(root)
    assert [one.version for one in read(root)] == ["0.2.0", "0.2.1"]
    assert (root / "CHANGELOG.md").read_text().index("## 0.2.1 (") < (root / "CHANGELOG.md").read_text().index(
        "## 0.2.0 ("
    )


def untidy(root):
    (root / "left.txt").write_text("x")


def tagged(root):
    git(root, "tag", "v0.2.0")


def misnamed(root):
    (root / "setup.py").write_text('setup(version="0.2.0rc1")\n')
    commit(root)


def without_section(root):
    (root / "CHANGELOG.md").write_text("# Changelog\n")
    commit(root)


def with_section(root):
    (root / "CHANGELOG.md").write_text(CHANGELOG + "\n## 0.2.0\n\n* Old.\n")
    commit(root)


def wrong_fragment(root):
    (root / "changelog.d" / "prose.md").write_text("Something changed.\n")
    commit(root)


def promised(text):
    def change(root):
        (root / RECORDED).write_text(text)
        commit(root)

    return change


def pictured(root, monkeypatch, days):
    """The picture of the map, and a change of the application so many days later."""
    first = 1_700_000_000
    for name, at in (("docs/pictures/map.webp", first), ("web/src/shell.ts", first + days * 86_400)):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("x")
        for role in ("AUTHOR", "COMMITTER"):
            monkeypatch.setenv(f"GIT_{role}_DATE", f"{at} +0000")
        commit(root)


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (14, []),
        (15, ["pictures: docs/pictures/map.webp is 15 days older than web/src: run make pictures"]),
    ],
)
def test_pictures_that_are_much_older_than_the_pages_are_named(root, monkeypatch, days, found):
    pictured(root, monkeypatch, days)
    assert problems(root) == found


def recorded(version, revision):
    def change(root):
        with (root / "RELEASES").open("a") as file:
            file.write(f"{version} {COMMIT} {revision}\n")
        commit(root)

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (untidy, "tree: the tree is not clean: 1 files differ from the last commit, such as left.txt"),
        (tagged, "version: the tag v0.2.0 is there already"),
        (misnamed, "version: the version '0.2.0rc1' is not three numbers, such as 0.2.0"),
        (without_section, "changelog: CHANGELOG.md has no section `## Unreleased`"),
        (with_section, "changelog: CHANGELOG.md has a section for 0.2.0 already, which RELEASES does not name"),
        (wrong_fragment, "changelog: changelog.d/prose.md: a fragment is a list, and its first line begins with `* `"),
        (
            recorded("0.3.0", "0029"),
            "version: setup.py names version 0.2.0, which does not come after the released 0.3.0",
        ),
        (recorded("0.1.9", "9999"), "schema: the schema revision 9999 of 0.1.9 is not among the migrations"),
        (recorded("0.1.9", "0029"), "tags: RELEASES names 0.1.9, and the tag v0.1.9 is missing (git fetch --tags)"),
        (
            promised("GET /sky\nGET /sea\n"),
            "promise: 1 lines of docs/reference/promise.txt do not hold any more, such as GET /sea",
        ),
        (
            promised(""),
            "promise: docs/reference/promise.txt lacks what was added: run python -m release.promise --record",
        ),
        (recorded("0.1.9", ""), "version: RELEASES, line 2: expected a version, a commit of 40 digits"),
    ],
)
def test_what_does_not_agree_is_named(root, change, problem):
    change(root)
    assert any(found.startswith(problem) for found in problems(root)), problems(root)


def test_a_tag_on_another_commit_is_named(root):
    released(root)
    git(root, "tag", "--force", "v0.2.0", "HEAD~1")
    (root / "RELEASES").write_text(f"0.2.0 {git(root, 'rev-parse', 'HEAD')} 0029\n")
    assert any("tags: the tag v0.2.0 does not contain the commit" in found for found in problems(root))


def test_releases_come_in_their_order():
    with pytest.raises(ReleaseError, match=r"RELEASES, line 2: 0.2.0 does not come after 0.10.0"):
        parse(f"0.10.0 {COMMIT} 0029\n0.2.0 {COMMIT} 0030\n")


def test_the_command_names_every_problem(root, monkeypatch, capsys):
    monkeypatch.setattr(command, "ROOT", root)
    untidy(root)
    tagged(root)
    assert command.main(["--dry-run"]) == 1
    error = capsys.readouterr().err
    assert "tree: the tree is not clean" in error
    assert "version: the tag v0.2.0 is there already" in error


def test_parts_are_built_copied_and_summed(root, monkeypatch, capsys):
    monkeypatch.setattr("release.build.texts", lambda this: {"NOTES.md": this.notes})
    script = "import sys; open(sys.argv[1], 'w').write('wheel')"
    part = Part("wheel", ("{python}", "-c", script, "dist/skywatch-{version}.whl"), "dist/skywatch-{version}.whl")
    absent = Part("deb", ("false",), "dist/*.deb", needs="deploy/debian")
    files = build(Build(root, "0.2.0", git(root, "rev-parse", "HEAD"), "New."), (part, absent))
    assert [path.name for path in files] == ["skywatch-0.2.0.whl", "NOTES.md", SUMS]
    subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=root / "dist" / "0.2.0", check=True)
    assert "deb: not built, this tree has no deploy/debian" in capsys.readouterr().out


def test_the_archive_of_the_sources_has_the_modes_of_a_checkout(root, monkeypatch):
    """A wheel takes them over: one that is built of the archive would be another one."""
    monkeypatch.setattr("release.build.texts", lambda this: {})
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o755)
    commit(root)
    context = next(part for part in PARTS if part.name == "image context")
    packed, _ = build(Build(root, "0.2.0", git(root, "rev-parse", "HEAD"), "New."), (context,))
    with tarfile.open(packed) as file:
        modes = {entry.name.partition("/")[2]: entry.mode for entry in file if entry.isfile()}
    assert (modes["run"], modes["setup.py"]) == (0o755, 0o644)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (Part("deb", ("make",), "dist/*.deb", program="no-such-program"), "deb: needs the program no-such-program"),
        (Part("deb", ("sh", "-c", "echo no room; exit 1"), "dist/*.deb"), "deb: sh -c .* failed: no room"),
        (Part("deb", ("true",), "dist/*.deb"), "deb: expected one file dist/.* found 0"),
    ],
)
def test_a_part_that_fails_ends_the_release(root, part, reason):
    with pytest.raises(ReleaseError, match=reason):
        build(Build(root, "0.2.0", git(root, "rev-parse", "HEAD"), "New."), (part,))


def test_an_archive_with_times_of_its_own_is_the_same_after_packing_again(tmp_path):
    texts, packed = {"b/two": b"2", "b/one": b"1"}, []
    for at, names in ((1_700_000_000.25, texts), (1_800_000_000.5, reversed(texts))):
        path = tmp_path / f"{at}.tar.gz"
        with tarfile.open(path, "w:gz") as file:
            for name in names:
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = 1, at, 0o755
                file.addfile(entry, io.BytesIO(texts[name]))
        pack_again(path, 1_600_000_000)
        packed.append(path.read_bytes())
        with tarfile.open(path) as file:
            assert {entry.name: file.extractfile(entry).read() for entry in file} == texts
            assert {(entry.mtime, entry.mode) for entry in file} == {(1_600_000_000, 0o755)}
    assert packed[0] == packed[1]


def test_checksums_change_with_the_file(tmp_path):
    path = tmp_path / "a"
    path.write_text("a")
    first = checksums([path])
    path.write_text("b")
    assert checksums([path]) != first


def test_this_checkout_records_releases_whose_schema_it_knows():
    assert {release.revision for release in read(ROOT)} <= set(schema_revisions())
    assert version_of(ROOT).count(".") == 2

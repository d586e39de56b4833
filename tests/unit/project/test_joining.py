"""What those who join read and run agrees with the Makefile, the lanes and the manual."""

from __future__ import annotations

import re
import subprocess

import pytest
import yaml

from tests.conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.M))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
LANES = {"unit", "functional", "integration"}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_hooks_check_what_make_test_checks():
    hooks = {
        hook["id"]: hook for repo in yaml.safe_load(read(".pre-commit-config.yaml"))["repos"] for hook in repo["hooks"]
    }
    checks = re.search(r"^test:.*\n\t@.*--jobs=2 (.*)$", MAKEFILE, re.M)[1].split()
    assert {*checks, "unit"} == set(hooks) <= TARGETS
    assert {name: hook["entry"] for name, hook in hooks.items()} == {
        name: f"make --no-print-directory {name}" for name in hooks
    }


def test_the_workflow_runs_every_lane():
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    assert set(jobs["lane"]["strategy"]["matrix"]["lane"]) == LANES
    assert jobs["lane"]["steps"][-1] == {"run": ".ci/run ${{ matrix.lane }}"}
    assert jobs["lane"]["env"]["CI"] == "true"


@pytest.fixture
def ci(tmp_path):
    """A copy of .ci/run among programs that do nothing, and a make that prints its targets."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "run").write_text(read(".ci/run"))
    for name in ("chromium", "chromedriver", "nginx"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "make").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "make").chmod(0o755)

    def run(*arguments):
        return subprocess.run(
            ["bash", str(tmp_path / ".ci" / "run"), *arguments],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_continuous_integration_runs_a_lane_or_everything(ci):
    assert ci().stdout == ci("all").stdout == "test\n"
    targets = [ci(lane).stdout.split() for lane in sorted(LANES)]
    assert targets == [["functional"], ["integration"], ["lint", "typecheck", "floors", "web-test", "unit"]]
    assert {target for run in targets for target in run} <= TARGETS


def test_an_unknown_lane_is_refused(ci):
    refused = ci("units")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "unknown lane 'units'" in refused.stderr


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "changelog.d/README.md"])
def test_pages_name_targets_and_files_that_exist(page):
    text = read(page)
    assert set(re.findall(r"(?:`|\$ )make ([a-z-]+)", text)) <= TARGETS
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        assert ((ROOT / page).parent / link).exists(), link


def test_decisions_are_numbered_and_say_what_why_and_what_else():
    assert [int(path.name[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))
    for path in DECISIONS:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {int(path.name[:4])}. "), path.name
        assert "**Decision.**" in text, path.name
        assert "**Why.**" in text, path.name
        assert re.search(r"\*\*What else was (tried|considered)\.\*\*", text), path.name


@pytest.mark.parametrize("form", ["bug.yml", "proposal.yml"])
def test_forms_of_issues_have_what_the_forge_requires(form):
    parsed = yaml.safe_load(read(f".github/ISSUE_TEMPLATE/{form}"))
    assert {"name", "description", "body"} <= set(parsed)
    identifiers = [field["id"] for field in parsed["body"] if field["type"] != "markdown"]
    assert len(identifiers) == len(set(identifiers)) > 0

"""What those who join read and run agrees with the Makefile, the lanes and the manual."""

from __future__ import annotations

import re
import shutil
import subprocess

import check_jsonschema
import pytest
import yaml

from tests.conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.M))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
SCHEMAS = [
    ("github-workflows", [".github/workflows/ci.yml", ".github/workflows/nightly.yml"]),
    ("github-issue-forms", [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/proposal.yml"]),
    ("github-issue-config", [".github/ISSUE_TEMPLATE/config.yml"]),
    ("compose-spec", ["compose.yaml", "compose.production.yaml"]),
]
# What .ci/run looks for.
PROGRAMS = (
    "make",
    "git",
    "curl",
    "chromium",
    "chromedriver",
    "nginx",
    "redis-server",
    "nats-server",
    "haproxy",
    "initdb",
    "ip",
    "etcd",
    "patroni",
)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_workflow_runs_both_tiers_and_the_nightly_one_the_rest():
    tests = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]["tests"]
    assert tests["steps"][-1] == {"run": ".ci/run"}
    assert tests["env"]["CI"] == "true"
    nightly = yaml.safe_load(read(".github/workflows/nightly.yml"))["jobs"]
    commands = [step.get("run") for job in nightly.values() for step in job["steps"]]
    assert {".ci/run night", ".ci/run coverage"} <= set(commands)


def test_hooks_run_targets_that_exist():
    hooks = [hook for repo in yaml.safe_load(read(".pre-commit-config.yaml"))["repos"] for hook in repo["hooks"]]
    assert hooks
    for hook in hooks:
        assert hook["entry"] == f"make --no-print-directory {hook['id']}"
        assert hook["id"] in TARGETS


@pytest.mark.parametrize(("schema", "files"), SCHEMAS, ids=[schema for schema, _ in SCHEMAS])
def test_files_for_programs_of_others_have_their_schema(schema, files):
    words = ["--builtin-schema", f"vendor.{schema}", *(str(ROOT / file) for file in files)]
    assert check_jsonschema.main(words, standalone_mode=False) == 0


@pytest.fixture
def ci(tmp_path):
    """A copy of .ci/run on a machine whose programs, but for bash, print how they are called."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "run").write_text(read(".ci/run"))
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "dirname"):
        (programs / name).symlink_to(shutil.which(name))

    def run(*arguments, without="", user=0, body_of_make='echo make "$@"'):
        bodies = {name: f'echo {name} "$@"' for name in {"make", "apt-get", *PROGRAMS} - {without}}
        for name, body in {**bodies, "make": body_of_make, "id": f"echo {user}"}.items():
            (programs / name).write_text(f"#!{shutil.which('bash')}\n{body}\n")
            (programs / name).chmod(0o755)
        return subprocess.run(
            ["bash", str(tmp_path / ".ci" / "run"), *arguments],
            env={"PATH": str(programs)}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_continuous_integration_runs_both_tiers_or_one(ci):
    assert targets_of(ci()) == targets_of(ci("all")) == ["test", "test-all"]
    assert [targets_of(ci(what)) for what in ("test", "night", "coverage")] == [["test"], ["test-night"], ["coverage"]]
    assert {"test", "test-all", "test-night", "coverage"} <= TARGETS


def test_a_failed_tier_does_not_hide_the_other(ci):
    done = ci(body_of_make='echo make "$@"; test "$1" != test')
    assert targets_of(done) == ["test", "test-all"]
    assert done.returncode == 1
    assert done.stderr.endswith(".ci/run: failed: test\n")


def targets_of(done):
    return [line.removeprefix("make ") for line in done.stdout.splitlines() if line.startswith("make ")]


def test_an_unknown_word_is_refused(ci):
    refused = ci("units")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "'units' is none of" in refused.stderr


def test_continuous_integration_installs_what_a_fresh_machine_lacks(ci):
    first, update, install, make, *_ = ci(without="chromedriver").stdout.splitlines()
    assert first == ".ci/run: installing packages of Debian for chromedriver"
    assert (update, make) == ("apt-get update -qq", "make test")
    assert {"chromium-driver", "nginx-light", "redis-server", "postgresql", "python3-venv"} <= set(install.split())


def test_continuous_integration_names_what_only_root_can_install(ci):
    refused = ci(without="chromedriver", user=1000)
    assert refused.returncode == 1
    assert "only root can install them: apt-get install make " in refused.stderr
    assert "make test" not in refused.stdout


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
def test_fields_of_forms_have_names_of_their_own(form):
    fields = yaml.safe_load(read(f".github/ISSUE_TEMPLATE/{form}"))["body"]
    identifiers = [field["id"] for field in fields if field["type"] != "markdown"]
    assert len(identifiers) == len(set(identifiers)) > 0

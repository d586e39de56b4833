"""What builds pages of the manual: the folder of versions, and the figure of coverage."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from tests.conftest import ROOT


def module(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


site, coverage = module("site"), module("coverage")


def built(folder, *names):
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "index.html").write_text(name)


def test_versions_are_listed_and_the_newest_release_comes_first_to_readers(tmp_path):
    built(tmp_path, "0.9.0", "0.10.0", "main")
    assert site.write_index(tmp_path) == ["main", "0.10.0", "0.9.0"]
    listed = json.loads((tmp_path / "versions.json").read_text())
    assert [entry["version"] for entry in listed if entry["aliases"] == ["latest"]] == ["0.10.0"]
    assert 'url=0.10.0/"' in (tmp_path / "index.html").read_text()


def test_a_site_without_releases_leads_to_what_is_there(tmp_path):
    built(tmp_path, "main")
    site.write_index(tmp_path)
    assert 'url=main/"' in (tmp_path / "index.html").read_text()


def test_a_site_of_before_is_removed_and_one_of_versions_stays(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    built(old, "alerts")
    (old / "index.html").write_text("x")
    built(new, "0.2.0")
    site.write_index(new)
    for folder in (old, new):
        site.discard_unversioned(folder)
    assert not old.exists()
    assert (new / "0.2.0" / "index.html").exists()


@pytest.mark.parametrize("name", ["../up", "", ".hidden", "a/b"])
def test_a_version_is_the_name_of_a_folder(name, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["site.py", "--to", str(tmp_path), "--name", name])
    with pytest.raises(SystemExit):
        site.main()
    assert "cannot be the name of a folder" in capsys.readouterr().err


@pytest.mark.deep("costs over a processor second")
def test_the_manual_is_a_site_with_search_versions_both_colours_and_room_on_a_phone(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["site.py", "--to", str(tmp_path), "--name", "0.9.0"])
    # Strict: a link that leads nowhere is an error.
    assert site.main() == 0
    page = tmp_path / "0.9.0" / "comparison"
    text = (page / "index.html").read_text(encoding="utf-8")
    linked = re.findall(r'(?:src|href)="([^"#:]+)"', text)
    assert all((page / path).exists() for path in linked), linked
    assert {"logo.svg", "colours.css"} <= {path.rsplit("/", 1)[-1] for path in linked}
    assert "versions.json" not in text, "the theme reads it beside the folder of the version"
    assert '"version": {"provider": "mike"}' in text
    schemes = set(re.findall(r'media="([^"]+)"', text))
    assert {"(prefers-color-scheme: light)", "(prefers-color-scheme: dark)"} <= schemes
    sheet = (tmp_path / "0.9.0" / "colours.css").read_text(encoding="utf-8")
    assert re.search(r'\[data-md-color-scheme="slate"\] \{\s+--ink: #e6edf6;', sheet)
    assert not re.findall(r'<(?:script|link)[^>]+(?:src|href)="?(?:https?:)?//', text), "nothing comes from other hosts"
    index = json.loads((tmp_path / "0.9.0" / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert {"comparison/", "first-steps/", "reference/settings/"} <= {entry["location"] for entry in index["docs"]}


def report(**files):
    summaries = {
        name.replace("__", "/") + ".py": {
            "summary": {"covered_lines": lines, "num_statements": 10, "covered_branches": 1, "num_branches": 2}
        }
        for name, lines in files.items()
    }
    return {"meta": {"timestamp": "2026-11-23T20:00:00"}, "files": summaries}


def test_coverage_is_counted_by_room():
    counted = coverage.by_room(report(skywatch__core__a=9, skywatch__core__b=5, skywatch__features=0))
    assert counted == {"core": (16, 24), "skywatch": (1, 12)}


def test_the_figure_replaces_the_one_before():
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    first = coverage.rewritten(page, coverage.measured(report(skywatch__core__a=9)))
    second = coverage.rewritten(first, coverage.measured(report(skywatch__core__a=5)))
    assert "**83.3 %** of 12 statements and branches, measured on 2026-11-2" in first
    assert "**50.0 %**" in second
    assert "83.3" not in second
    assert second.startswith(page.split("<!--")[0])


def test_a_report_of_nothing_and_a_page_without_marks_are_refused():
    with pytest.raises(ValueError, match="no file of skywatch"):
        coverage.measured({"meta": {}, "files": {}})
    with pytest.raises(ValueError, match="marks"):
        coverage.rewritten("# Coverage\n", "x")

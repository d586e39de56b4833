"""The files for three hosts: each program takes what is made of its template, Skywatch the settings.

``make drill NAME=cluster`` runs the page itself.
"""

from __future__ import annotations

import re
import subprocess
from configparser import ConfigParser
from pathlib import Path
from string import Template

import pytest
import yaml

from skywatch.features import load
from skywatch.feeders.settings import FeederSettings
from tests.conftest import ROOT
from tests.drills.cluster import DOWNLOADS, FIRST_HOST, PAGE
from tests.drills.pages import blocks
from tests.servers import program
from tests.waiting import PATIENCE_S

FOLDER = ROOT / "deploy" / "cluster"
TOLD = {
    "NAME": "sky2", "ADDRESS": "10.77.0.12", "HOST1": "10.77.0.11", "HOST2": "10.77.0.12", "HOST3": "10.77.0.13",
    "NETWORK": "10.77.0.0/24", "DOMAIN": "sky.example.org", "POSTGRESQL": "15", "SECRET": "5" * 64,
    "DATABASE_PASSWORD": "d" * 48, "SUPERUSER_PASSWORD": "s" * 48, "REPLICATION_PASSWORD": "r" * 48,
    "BUS_PASSWORD": "b" * 48,
}  # fmt: skip
# Programs of which each takes its own file, with a folder to write to.
CHECKED = {
    "nats-server.conf": ["nats-server", "-t", "-c"],
    "haproxy.cfg": ["haproxy", "-c", "-f"],
}


def filled(name: str) -> str:
    """The file that `fill` makes: what the templates name is what it gives them."""
    return Template((FOLDER / name).read_text().replace("$$", "$$$$")).substitute(TOLD)


def test_the_page_runs_on_each_host_what_is_there():
    every = blocks(PAGE)
    assert {block.heading for block in every} >= {*DOWNLOADS, *FIRST_HOST}
    script = "\n".join(block.text for block in every)
    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for path in re.findall(r"deploy/[\w./*-]+", script):
        assert list(ROOT.glob(path)), path


def test_the_page_says_all_that_the_templates_ask_for():
    text = PAGE.read_text()
    for name in TOLD.keys() - {"NAME", "ADDRESS"}:
        assert f"\n{name}=" in text, name
    script = (FOLDER / "fill").read_text()
    for path in FOLDER.iterdir():
        if path.name != "fill":
            assert set(re.findall(r"\$(\w+)", path.read_text())) <= TOLD.keys(), path.name
            assert f"write {path.name} " in script
            assert f"| `{path.name}` |" in text


@pytest.mark.parametrize(
    ("words", "told", "why"),
    [
        ([], "", "usage: deploy/cluster/fill 1|2|3"),
        (["4"], "", "usage: deploy/cluster/fill 1|2|3"),
        (["1"], None, "/etc/skywatch/cluster is missing"),
        (["1"], "HOST1=10.77.0.11\n", "/etc/skywatch/cluster does not say HOST2"),
    ],
)
def test_what_cannot_be_filled_in_is_said_in_one_line(tmp_path, words, told, why):
    script = (FOLDER / "fill").read_text().replace("/etc/skywatch/cluster", str(tmp_path / "cluster"))
    (tmp_path / "fill").write_text(script)
    if told is not None:
        (tmp_path / "cluster").write_text(told)
    done = subprocess.run(
        ["sh", tmp_path / "fill", *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert why.replace("/etc/skywatch/cluster", str(tmp_path / "cluster")) in done.stderr
    assert done.stdout == ""


def test_the_templates_get_every_name_that_the_file_says(tmp_path):
    script = (FOLDER / "fill").read_text().replace("/etc/skywatch/cluster", str(tmp_path / "cluster"))
    (tmp_path / "fill").write_text(script.partition("# write FILE")[0] + "env\n")
    said = {name: value for name, value in TOLD.items() if name not in ("NAME", "ADDRESS")}
    (tmp_path / "cluster").write_text("".join(f"{name}={value}\n" for name, value in said.items()))
    done = subprocess.run(["sh", tmp_path / "fill", "2"], capture_output=True, text=True, check=True)
    assert {f"{name}={value}" for name, value in TOLD.items()} <= set(done.stdout.splitlines())


def test_skywatch_accepts_the_settings_of_a_host(tmp_path):
    ini = ConfigParser(interpolation=None)
    ini.read_string(filled("skywatch.ini"))
    section = {name: text for name, text in ini["app:main"].items() if name != "use"}
    # systemd and the shells of the page read the same file: `&` of an address is in quotes.
    (tmp_path / "environment").write_text(filled("environment"))
    shell = f"set -a; . {tmp_path}/environment; exec env -0"
    said = subprocess.run(["env", "-i", "sh", "-c", shell], capture_output=True, text=True, check=True).stdout
    environ = dict(line.split("=", 1) for line in said.split("\0") if line)
    environ = {name: environ[name] for name in ("SECRET", "DATABASE_URL", "BUS")}
    settings = load(section, environ)
    assert settings.bus == f"nats://skywatch:{'b' * 48}@10.77.0.12,10.77.0.11,10.77.0.12,10.77.0.13"
    assert settings.database_url.count("host=") == 3
    assert settings.of(FeederSettings).feeders_address == "sky.example.org:30004"
    assert settings.secret == "5" * 64


def test_patroni_replicates_synchronously_and_lets_in_the_network_alone():
    document = yaml.safe_load(filled("patroni.yml"))
    shared = document["bootstrap"]["dcs"]
    assert shared["synchronous_mode"] is True
    assert shared["ttl"] >= shared["loop_wait"] + 2 * shared["retry_timeout"]
    for line in document["postgresql"]["pg_hba"][1:]:
        assert line.endswith("10.77.0.0/24 scram-sha-256")


@pytest.mark.parametrize("name", CHECKED)
def test_the_program_accepts_its_file(tmp_path, name):
    words = CHECKED[name]
    checker = program(words[0])
    (tmp_path / "sky.pem").write_text(_certificate(tmp_path))
    text = (
        filled(name)
        .replace("/etc/skywatch/tls", str(tmp_path))
        .replace("/etc/skywatch/haproxy", str(FOLDER))
        .replace("user haproxy\n    group haproxy\n", "")
    )
    (tmp_path / name).write_text(text)
    done = subprocess.run(
        [checker, *words[1:], tmp_path / name], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr


def _certificate(folder: Path) -> str:
    key, certificate = folder / "key", folder / "certificate"
    words = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=sky.example.org"]
    subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate.read_text() + key.read_text()

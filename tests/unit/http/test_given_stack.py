"""Pyramid, Cornice and pyramid-jwt are admitted up to the minor version that is tested.

docs/decisions/0002-given-stack.md says what would take their place.
"""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
REQUIREMENTS = {"pyramid": ">=2.0.2,<2.2", "cornice": ">=6.1,<6.2", "pyramid-jwt": ">=1.6.1,<1.7"}


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_setup_admits_the_minor_version_that_is_tested(package: str) -> None:
    assert f'"{package}{REQUIREMENTS[package]}"' in (ROOT / "setup.py").read_text(encoding="utf-8")
    highest = tuple(map(int, re.findall(r"<([0-9.]+)", REQUIREMENTS[package])[0].split(".")))
    assert tuple(map(int, importlib.metadata.version(package).split(".")[:2])) < highest

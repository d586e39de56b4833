"""The part of ``pkg_resources`` that Pyramid and Cornice use, on the standard library.

setuptools 82 removed ``pkg_resources``, Pyramid 2.1 and Cornice 6.1 still import it. With this module in its place the
service runs with any setuptools, or none, and starts faster: the original takes some 0.2 s to import.
``docs/decisions/0003-pkg-resources.md`` says when this module goes.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib import metadata
from types import ModuleType
from typing import BinaryIO

NAME = "pkg_resources"


def install() -> None:
    """Let ``import pkg_resources`` return this module, unless the original is imported already."""
    sys.modules.setdefault(NAME, sys.modules[__name__])


class DefaultProvider:
    """Files of one package below its folder; packages inside archives are not supported."""

    def __init__(self, module: ModuleType) -> None:
        self.module_path = os.path.dirname(module.__file__ or "")

    def _path(self, resource_name: str) -> str:
        return os.path.join(self.module_path, *resource_name.split("/")) if resource_name else self.module_path

    def get_resource_filename(self, manager: object, resource_name: str) -> str:
        """The path of a file or folder, whether it exists or not."""
        return self._path(resource_name)

    def get_resource_stream(self, manager: object, resource_name: str) -> BinaryIO:
        """An open file; raises OSError."""
        return open(self._path(resource_name), "rb")

    def get_resource_string(self, manager: object, resource_name: str) -> bytes:
        """The content of a file; raises OSError."""
        with self.get_resource_stream(manager, resource_name) as stream:
            return stream.read()

    def has_resource(self, resource_name: str) -> bool:
        """Whether there is such a file or folder."""
        return os.path.exists(self._path(resource_name))

    def resource_isdir(self, resource_name: str) -> bool:
        """Whether there is such a folder."""
        return os.path.isdir(self._path(resource_name))

    def resource_listdir(self, resource_name: str) -> list[str]:
        """Names in a folder; raises OSError."""
        return os.listdir(self._path(resource_name))


_providers: dict[type, type[DefaultProvider]] = {object: DefaultProvider}


def register_loader_type(loader_type: type, provider: type[DefaultProvider]) -> None:
    """Use ``provider`` for packages whose loader is of ``loader_type``."""
    _providers[loader_type] = provider


def _provider(package: str) -> DefaultProvider:
    module = importlib.import_module(package)
    loader_type = type(getattr(module, "__loader__", None))
    return next(_providers[kind] for kind in loader_type.__mro__ if kind in _providers)(module)


def resource_filename(package: str, resource_name: str) -> str:
    """The path of a package's file or folder."""
    return _provider(package).get_resource_filename(None, resource_name)


def resource_stream(package: str, resource_name: str) -> BinaryIO:
    """An open file of a package; raises OSError."""
    return _provider(package).get_resource_stream(None, resource_name)


def resource_string(package: str, resource_name: str) -> bytes:
    """The content of a package's file; raises OSError."""
    return _provider(package).get_resource_string(None, resource_name)


def resource_exists(package: str, resource_name: str) -> bool:
    """Whether a package has such a file or folder."""
    return _provider(package).has_resource(resource_name)


def resource_isdir(package: str, resource_name: str) -> bool:
    """Whether a package has such a folder."""
    return _provider(package).resource_isdir(resource_name)


def resource_listdir(package: str, resource_name: str) -> list[str]:
    """Names in a package's folder; raises OSError."""
    return _provider(package).resource_listdir(resource_name)


def get_distribution(name: str) -> metadata.Distribution:
    """An installed distribution, for its ``version``; raises importlib.metadata.PackageNotFoundError."""
    return metadata.distribution(name)

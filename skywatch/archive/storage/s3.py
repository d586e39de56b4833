"""A bucket of Amazon's S3 or of a server that speaks the same protocol, by Arrow's client for it.

Credentials come from the settings or from the variables of the environment that all S3 clients know, and from nowhere
else: no file of another program, no metadata service of a cloud's machine.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

# The client asks the metadata service of the machine for its region and for credentials, unless this is set before.
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"

from pyarrow import fs

from skywatch.archive.errors import ArchiveStorageError, place_error
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage.base import chunks

CONNECT_TIMEOUT_S, REQUEST_TIMEOUT_S = 5.0, 20.0
ATTEMPTS = 3


class S3Storage:
    """Objects below a prefix of a bucket."""

    def __init__(self, filesystem: Any, path: str) -> None:
        self._filesystem = filesystem
        self._path = path

    @classmethod
    def of(cls, settings: ArchiveSettings, environ: Mapping[str, str] | None = None) -> S3Storage:
        """The bucket of the settings; raises ArchiveStorageError where there are no credentials."""
        parts = urlsplit(settings.archive_url)
        endpoint = urlsplit(settings.archive_s3_endpoint)
        filesystem = fs.S3FileSystem(
            **_credentials(settings, os.environ if environ is None else environ),
            region=settings.archive_s3_region,
            endpoint_override=endpoint.netloc or None,
            scheme=endpoint.scheme or "https",
            connect_timeout=CONNECT_TIMEOUT_S,
            request_timeout=REQUEST_TIMEOUT_S,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
            background_writes=False,
        )
        return cls(filesystem, f"{parts.netloc}/{parts.path.strip('/')}".rstrip("/"))

    @property
    def url(self) -> str:
        return f"s3://{self._path}"

    def names(self, folder: str = "") -> list[str]:
        selector = fs.FileSelector(self._at(folder).rstrip("/"), allow_not_found=True)
        try:
            return sorted(info.base_name for info in self._filesystem.get_file_info(selector))
        except OSError as error:
            raise place_error(error, f"{self.url}/{folder}") from None

    def read(self, name: str, most: int) -> bytes:
        with self.open(name) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ArchiveStorageError("is too large", f"{self.url}/{name}")
        return data

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        try:
            with self._filesystem.open_input_stream(self._at(name)) as file:
                yield file
        except OSError as error:
            raise place_error(error, f"{self.url}/{name}") from None

    def put(self, name: str, source: Path) -> None:
        try:
            # An object appears when its stream is closed; a stream that is given up leaves none.
            with open(source, "rb") as reader, self._filesystem.open_output_stream(self._at(name)) as writer:
                for data in chunks(reader):
                    writer.write(data)
            source.unlink()
        except OSError as error:
            raise place_error(error, f"{self.url}/{name}") from None

    def delete(self, name: str) -> None:
        try:
            self._filesystem.delete_file(self._at(name))
        except FileNotFoundError:
            return
        except OSError as error:
            raise place_error(error, f"{self.url}/{name}") from None

    @contextmanager
    def staging(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="skywatch-archive-") as folder:
            yield Path(folder)

    def arrow(self) -> tuple[Any, str]:
        return self._filesystem, self._path

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"


def _credentials(settings: ArchiveSettings, environ: Mapping[str, str]) -> dict[str, Any]:
    if settings.archive_s3_access_key:
        return {"access_key": settings.archive_s3_access_key, "secret_key": settings.archive_s3_secret_key}
    access, secret = environ.get("AWS_ACCESS_KEY_ID", ""), environ.get("AWS_SECRET_ACCESS_KEY", "")
    if not access or not secret:
        raise ArchiveStorageError(
            "archive_s3_access_key and archive_s3_secret_key are not set, nor is AWS_ACCESS_KEY_ID"
        )
    return {"access_key": access, "secret_key": secret, "session_token": environ.get("AWS_SESSION_TOKEN") or None}

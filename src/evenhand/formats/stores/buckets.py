"""Buckets: of Amazon or whoever speaks as it does (`s3://`, `r2://`), and of Google (`gs://`).

Read with pyarrow, which finds keys where Amazon's and Google's own tools find them: in the
environment, in `~/.aws`, in the role of a machine. A store of one's own is named by
AWS_ENDPOINT_URL, or STORAGE_EMULATOR_HOST for Google's.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import timedelta
from importlib.util import find_spec
from typing import Any, Final

from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats.addresses import Address, read_address
from evenhand.formats.stores.bucket import Bucket
from evenhand.formats.stores.bucket_faults import GOOGLE, faults_of
from evenhand.formats.stores.stored_file import StoredFile

ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
UNSIGNED: Final = "AWS_NO_SIGN_REQUEST"
PATIENCE: Final = 10.0  # Seconds that a store may take to answer
TRIES: Final = 3


def find_files(text: str) -> list[StoredFile]:
    """Return the files of a bucket of a URL: one, those of a pattern, or of a folder."""
    front = re.split("[?;&]", text)[0]
    address = read_address(front)
    if address.scheme == "gcs":
        address = replace(address, scheme="gs")
    _refuse_wording(address, more=front != text)
    if any(find_spec(name) is None for name in ("pyarrow", "fsspec")):
        raise UnknownFormat(
            f"'{address}' lies in a bucket, which is read with pyarrow and fsspec: pip install"
            " 'evenhand[s3]', or download the file"
        )
    endpoint = _find_endpoint()
    if address.scheme == "r2" and not endpoint:
        raise UnknownOption(
            f"'{address}' needs the address of its store: set AWS_ENDPOINT_URL to"
            " https://ACCOUNT.r2.cloudflarestorage.com"
        )
    with faults_of(address, endpoint):
        system = _connect_google() if address.scheme in GOOGLE else _connect(address, endpoint)
    return Bucket(address, endpoint, system).find(address.path.strip("/"))


def _refuse_wording(address: Address, *, more: bool) -> None:
    """Refuse a URL that says too much or too little."""
    place = address.place.rpartition("@")[2]
    shown = f"{address.scheme}://{place}{address.path}"
    if more or place != address.place or address.user:
        raise UnknownOption(
            f"'{shown}' says too much: keys of a bucket are taken from the environment"
            " (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), not from the URL; a ? ; or & in a name"
            " is written *"
        )
    if not place:
        raise UnknownOption(f"'{shown}' names no bucket: write {address.scheme}://BUCKET/PATH")


def _first(names: tuple[str, ...]) -> str:
    """Return the first variable of the environment that is set, or nothing."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _find_endpoint() -> str:
    """Return the address of a store of one's own, where the environment names one."""
    name = next((one for one in ENDPOINTS if os.environ.get(one)), "")
    endpoint = os.environ.get(name, "")
    if endpoint and not re.fullmatch(r"https?://[^/@\s]+/?", endpoint):
        raise UnknownOption(
            f"{name} is no address of a store: write http://HOST:PORT or https://HOST"
        )
    return endpoint


def _connect(address: Address, endpoint: str) -> Any:
    """Return pyarrow's file system of Amazon's kind; no more than its region is asked for."""
    from pyarrow import fs

    region, options = _first(REGIONS), dict[str, Any]()
    if endpoint:
        scheme, _, host = endpoint.rpartition("://")
        options = {"endpoint_override": host.rstrip("/"), "scheme": scheme}
        region = region or ("auto" if address.scheme == "r2" else "us-east-1")
    if os.environ.get(UNSIGNED, "").lower() in ("yes", "true", "1"):
        options["anonymous"] = True
    return fs.S3FileSystem(
        region=region or fs.resolve_s3_region(address.place),
        connect_timeout=PATIENCE,
        request_timeout=3 * PATIENCE,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
        **options,
    )


def _connect_google() -> Any:
    """Return pyarrow's file system of Google's kind."""
    from pyarrow import fs

    limit, endpoint = timedelta(seconds=PATIENCE), os.environ.get("STORAGE_EMULATOR_HOST", "")
    if not endpoint:
        return fs.GcsFileSystem(retry_time_limit=limit)
    scheme, _, host = endpoint.rpartition("://")
    return fs.GcsFileSystem(
        anonymous=True, endpoint_override=host, scheme=scheme or "http", retry_time_limit=limit
    )

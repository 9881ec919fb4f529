"""What a bucket refuses, said in the user's words, without any key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from evenhand.errors import EvenhandError, MissingFile, UnknownFormat
from evenhand.formats.addresses import SHORT, Address, show_address
from evenhand.formats.stores.stored_file import say_gone

GOOGLE: Final = ("gs", "gcs")
SECRETS: Final = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
KNOWN: Final = ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE")
_CODE: Final = re.compile(r"AWS Error (\w+)(?: \(HTTP status (\d+)\))? during \w+ operation: (.*)")
_GOOGLE: Final = re.compile(r"google::cloud::Status\((\w+): (.*?)(?: error_info=|\)$|$)")
_CLOSED: Final = re.compile(
    r"DENIED|FORBIDDEN|ACCESS_KEY|SIGNATURE|TOKEN|UNAUTHENTICATED|UNRECOGNIZED_CLIENT|SKEWED"
)
_CURL: Final = re.compile(r"(?:curlCode: \d+, |CURL error \[\d+\]=)([^;]+?)(?:;|$)")
# Said where a bucket of Amazon's is looked up to learn its region
_NO_BUCKET: Final = re.compile(r"Bucket '.*' not found")
_LONGEST: Final = 160


@contextmanager
def faults_of(address: Address, endpoint: str) -> Iterator[None]:
    """Turn what a store refuses into a refusal of ours."""
    from pyarrow import ArrowException

    try:
        yield
    except EvenhandError:
        raise
    except (OSError, ArrowException) as error:
        raise _explain(str(error), address, endpoint) from None


def _explain(said: str, address: Address, endpoint: str) -> EvenhandError:
    """Find out what is meant."""
    found = _CODE.search(said) or _GOOGLE.search(said)
    code, *between, reason = found.groups("") if found else ("", said)
    status, reason = next(iter(between), ""), clean(reason)
    if code == "NO_SUCH_BUCKET" or _NO_BUCKET.match(said):
        return MissingFile(f"'{address}': there is no bucket '{address.place}'")
    if status == "416" or code in ("RESOURCE_NOT_FOUND", "NO_SUCH_KEY"):
        return say_gone(str(address))
    if "OAuth2" not in said and (code == "NETWORK_CONNECTION" or _CURL.search(said)):
        place = _name(address, endpoint)
        return UnknownFormat(f"'{address}': {place} does not answer ({reason})")
    if "OAuth2" in said or _CLOSED.search(code) or status in ("401", "403"):
        return UnknownFormat(_say_closed(said, address, reason))
    what = f"HTTP status {status}" if status else reason or code.lower().replace("_", " ")
    advice = "try again"
    if status in ("301", "307", "400"):
        advice = "does the bucket lie in another region? Set AWS_REGION"
    return UnknownFormat(f"'{address}': the store fails ({what}); {advice}")


def _say_closed(said: str, address: Address, reason: str) -> str:
    """Say that nobody was let in, and which keys that depends on."""
    if "OAuth2" in said:
        return (
            f"'{address}' needs keys, and none were found: gcloud auth application-default login,"
            " or set GOOGLE_APPLICATION_CREDENTIALS"
        )
    if address.scheme in GOOGLE:
        return f"'{address}' is refused: the account may not read it ({reason})"
    if os.environ.get("AWS_NO_SIGN_REQUEST"):
        return f"'{address}' is refused without keys: unset AWS_NO_SIGN_REQUEST and give some"
    given = any(os.environ.get(name) for name in KNOWN)
    if not given and not Path("~/.aws/credentials").expanduser().exists():
        return (
            f"'{address}' needs keys, and the environment has none: set AWS_ACCESS_KEY_ID and"
            " AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; AWS_NO_SIGN_REQUEST=yes reads a public bucket"
        )
    return (
        f"'{address}' is refused: the keys are wrong, have run out, or may not read it ({reason})"
    )


def _name(address: Address, endpoint: str) -> str:
    """Name the store that does not answer."""
    if address.scheme in GOOGLE:
        return "the store"
    if endpoint:
        return f"the store of AWS_ENDPOINT_URL, {show_address(endpoint)},"
    return "the store (AWS_ENDPOINT_URL names another one)"


def clean(said: str) -> str:
    """Return what a store said in a few words, without keys and numbers of requests."""
    text = re.sub(r"\s*\(Request ID: .*", "", " ".join(said.split())).rstrip(". ")
    curl = _CURL.search(text)
    text = curl[1].lower() if curl else text.replace("No response body", "it gives no reason")
    for name in SECRETS:
        value = os.environ.get(name, "")
        text = text.replace(value, "***") if len(value) > SHORT else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

"""Images and recordings of a campaign: files beside it, which texts name and judges see or hear.

A file goes by its SHA-256 in the campaign, so that a changed file is noticed as a changed text is,
equal files are one output, and no name of a file tells a judge whose output it is.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from evenhand.design.forms import (
    MEDIA,
    STORED,
    Form,
    check_judged,
    check_text,
    is_outside,
    list_images,
    read_turns,
)
from evenhand.errors import CampaignError

MEGABYTE: Final = 1_000_000
MAX_BYTES: Final = {"image": 20 * MEGABYTE, "audio": 100 * MEGABYTE}
MAX_PIXELS: Final = 50_000_000
# How files begin, their ending here, and the type that browsers are told
_STARTS: Final = (
    ("image", rb"\x89PNG\r\n\x1a\n", "png", "image/png"),
    ("image", rb"\xff\xd8\xff", "jpg", "image/jpeg"),
    ("image", rb"GIF8[79]a", "gif", "image/gif"),
    ("image", rb"RIFF....WEBP", "webp", "image/webp"),
    ("audio", rb"RIFF....WAVE", "wav", "audio/wav"),
    ("audio", rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]", "mp3", "audio/mpeg"),
    ("audio", rb"OggS", "ogg", "audio/ogg"),
    ("audio", rb"fLaC", "flac", "audio/flac"),
    ("audio", rb"....ftyp", "m4a", "audio/mp4"),
)
TYPES: Final = {ending: told for _, _, ending, told in _STARTS}
_KINDS: Final = {"image": "PNG, JPEG, GIF or WebP", "audio": "MP3, WAV, Ogg, FLAC or M4A"}


@dataclass(frozen=True)
class MediaFile:
    path: Path
    name: str  # SHA-256 and ending
    size: int  # bytes
    modified: int  # nanoseconds

    @property
    def is_same(self) -> bool:
        """Whether it is as it was when the campaign was read."""
        try:
            now = self.path.stat()
            if (now.st_size, now.st_mtime_ns) == (self.size, self.modified):
                return True
            return self.name.startswith(_hash(self.path))
        except OSError:
            return False


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


class Folder:
    """The folder of a campaign, and the files in it that its texts named so far."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.files: dict[str, MediaFile] = {}  # by the name under which they are stored
        self._taken: dict[tuple[str, str], str] = {}

    def settle(self, form: Form, text: object, *, judged: bool = False) -> Any:
        """Return a text as it is stored; `judged` is an output. What is no text stays as it is."""
        if form.form == "chat" and isinstance(text, list | tuple):
            text = read_turns(list(text))
            return self._settle_chat(form, text, judged=judged)
        if not isinstance(text, str) or form.is_plain or not text:
            return text
        if form.form in MEDIA:
            return self.take(text.strip(), form.form)
        if form.form == "chat":
            return self._settle_chat(form, read_turns(text), judged=judged)
        if form.form == "markdown":
            text = self._settle_images(form, text)
        return check_text(form, text)

    def _settle_chat(self, form: Form, turns: list[dict[str, str]], *, judged: bool) -> str:
        if form.turns == "markdown":
            turns = [{**one, "content": self._settle_images(form, one["content"])} for one in turns]
        text = check_text(form, json.dumps(turns, ensure_ascii=False))
        if judged:
            check_judged(form, text)
        return text

    def _settle_images(self, form: Form, text: str) -> str:
        """Name images that lie in the folder as they are stored; those outside are not loaded."""
        if self.path is None:
            return text
        for source in dict.fromkeys(list_images(form, text)):
            if is_outside(source) or STORED.fullmatch(source):
                continue
            stored = self.take(unquote(source), "image")
            for written in {source, unquote(source)}:
                begin = r"(\]\(\s*<?|\]:\s*<?)"  # of the address in ![](...) and in [name]: ...
                text = re.sub(begin + re.escape(written) + r"(?=[\s)>]|$)", rf"\g<1>{stored}", text)
        for source in list_images(form, text):
            if not is_outside(source) and not STORED.fullmatch(source):
                raise CampaignError(
                    f"the image '{source}' is written in a way that is not read here: write it as"
                    " ![what is in it](file.png)"
                )
        return text

    def take(self, name: str, kind: str) -> str:
        """Return under which name a file is stored; what is not fit to be shown is refused."""
        if (name, kind) in self._taken:
            return self._taken[name, kind]
        if self.path is None:
            if STORED.fullmatch(name):  # a campaign that was read before
                return name
            raise CampaignError(
                f"'{name:.80}' is a file of its own: give the campaign as a file beside it"
            )
        if is_outside(name):
            raise CampaignError(
                f"'{name:.80}' is no file of the campaign's folder, and nothing is loaded from"
                " elsewhere: put the file there, and write its name"
            )
        path = self._find(name)
        try:
            held = path.stat()
            ending = _read_type(path, name, kind, held.st_size)
            stored = f"{_hash(path)}.{ending}"
        except OSError as fault:
            reason = (fault.strerror or str(fault)).lower()
            raise CampaignError(f"'{name}' cannot be read: {reason}") from None
        self.files[stored] = MediaFile(path, stored, held.st_size, held.st_mtime_ns)
        self._taken[name, kind] = stored
        return stored

    def _find(self, name: str) -> Path:
        assert self.path is not None
        folder = self.path.resolve()
        try:
            path = (folder / name).resolve()
        except (OSError, ValueError):  # a name that no file has
            raise CampaignError(f"there is no file {name!r:.120}") from None
        if not path.is_relative_to(folder):
            raise CampaignError(
                f"'{name}' is not in the folder of the campaign: put the file there, and write"
                " its name"
            )
        try:
            there = path.is_file()
        except OSError:  # too long a name
            there = False
        if not there:
            raise CampaignError(
                f"there is no file '{name:.120}' in the folder of the campaign: put it there, or"
                " write its name as it is, with the folders within that one"
            )
        return path


def _read_type(path: Path, name: str, kind: str, size: int) -> str:
    """Return the ending of a file by what is in it, whatever its name says."""
    most = MAX_BYTES[kind]
    if size > most:
        raise CampaignError(
            f"'{name}' has {size / MEGABYTE:,.1f} MB, and a file of the form '{kind}' has at most"
            f" {most // MEGABYTE} MB: make it smaller"
        )
    with path.open("rb") as file:
        head = file.read(16)
    found = [one for one in _STARTS if re.match(one[1], head, re.DOTALL)]
    if not found or found[0][0] != kind:
        other = f" (it is {found[0][3]})" if found else ""
        raise CampaignError(
            f"'{name}' is no {_KINDS[kind]}{other}: save it as one of these, and write its name"
        )
    if kind == "image":
        _check_image(path, name)
    return found[0][2]


def _check_image(path: Path, name: str) -> None:
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():  # of size, which is looked at here
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                pixels = image.width * image.height
                if pixels <= MAX_PIXELS:
                    image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as fault:
        raise CampaignError(
            f"'{name}' cannot be shown: the image is damaged ({fault!s:.80}); save it again"
        ) from None
    except Image.DecompressionBombError:
        pixels = MAX_PIXELS + 1
    if pixels > MAX_PIXELS:
        raise CampaignError(
            f"'{name}' has more than {MAX_PIXELS // 1_000_000} million pixels: make it smaller"
        )

"""What a source is called where others read it: a command in a report, a refusal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from evenhand.errors import UnknownOption
from evenhand.formats.addresses import is_address, read_address, show_address
from evenhand.formats.stores import is_stored
from evenhand.formats.stores.web_names import name_page

# A word of a command that is a URL, perhaps behind the name of an option
_WORD: Final = re.compile(r"(?:--?[\w-]+=)?([a-z][a-z0-9+.-]*://.+)", re.IGNORECASE | re.DOTALL)


def show_source(text: str) -> str:
    """Return the name of a file as it is, and a URL without user, password, signature and settings.

    >>> show_source("https://example.org/votes.csv?X-Amz-Signature=abc"), show_source("a?b.csv")
    ('https://example.org/votes.csv', 'a?b.csv')
    """
    if "://" not in text:
        return text
    try:
        if text.lower().startswith(("http://", "https://")):
            return name_page(text)[1]
        if is_stored(text):
            address = read_address(re.split("[?;&]", text)[0])
            return f"{address.scheme}://{address.place.rpartition('@')[2]}{address.path}"
        return str(read_address(text)) if is_address(text) else show_address(text)
    except UnknownOption:
        return show_address(text)


def hide_settings(said: str, words: tuple[str, ...]) -> str:
    """Return what is said of a command without the secrets of the URLs among its words."""
    for url in (found[1] for found in map(_WORD.fullmatch, words) if found):
        for spelled in (url, str(Path(url))):  # a path has no two slashes
            said = said.replace(spelled, show_source(url))
        if url.lower().startswith("http") and url.partition("?")[2]:  # of its last part alone
            said = said.replace(f"?{url.partition('?')[2]}", "")
    return said

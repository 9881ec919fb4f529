"""How a file of a web server is called: one spelling of its address, and what of it is shown."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from evenhand.errors import UnknownOption
from evenhand.formats.addresses import show_address

_HOST: Final = re.compile(r"([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?", re.IGNORECASE)
_USUAL: Final = {"http": ":80", "https": ":443"}  # Ports that may be left out
# What some servers write into a path, such as `;jsessionid=…`
_SETTING: Final = re.compile(r";\w+=[^/;]*")
# Signs of a URL that stay as they are; others are written in ASCII
_FINE: Final = "/:?&=%+,;@~!$'()*[]#"


def name_page(text: str) -> tuple[str, str]:
    """Return an address as it is asked for, and as it is shown.

    Shown is neither what follows `?`, such as a signature, nor a setting within the path. Kind and
    host are written small and a usual port is left out, so that one file has one name.
    """
    kind, _, rest = text.partition("#")[0].partition("://")
    place = re.split("[/?]", rest)[0]
    if not _HOST.fullmatch(place):
        raise UnknownOption(
            f"'{show_address(text)}' holds a user or a password, or no host: write"
            " https://HOST/PATH, or download the file"
        )
    kind = kind.lower()
    whole = f"{kind}://{place.lower().removesuffix(_USUAL[kind])}{rest[len(place) :]}"
    shown = _SETTING.sub("", whole.partition("?")[0])
    if "*" in shown:
        raise UnknownOption(f"'{shown}' is a pattern, and web servers list no files: name each one")
    return quote(whole, safe=_FINE), shown

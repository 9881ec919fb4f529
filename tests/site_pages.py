"""Reads a built page: what a browser fetches for it, where links lead, which places it has."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

FETCHED = {"src", "srcset", "poster", "data", "background"}
"""Attributes whose address a browser fetches by itself, whatever the element."""
FOLLOWED = {"a", "area", "form"}
"""Elements whose address is fetched only when somebody follows it."""
QUIET = {"canonical", "next", "prev", "alternate", "author", "license"}
"""Relations of a `link` for which nothing is fetched."""

_CSS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


@dataclass
class BuiltPage(HTMLParser):
    """One page of HTML."""

    fetched: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    _style: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._style = tag == "style"
        self.places |= {values[name] for name in ("id", "name") if name in values}
        self.fetched += [values[name] for name in FETCHED & values.keys()]
        self.fetched += find_addresses(values.get("style", ""))
        address = values.get("href", values.get("xlink:href", ""))
        if tag in FOLLOWED:
            self.links += [address] if address else []
        elif address and not (tag == "link" and QUIET & set(values.get("rel", "").split())):
            self.fetched.append(address)

    def handle_data(self, data: str) -> None:
        if self._style:
            self.fetched += find_addresses(data)

    def handle_endtag(self, tag: str) -> None:
        self._style = self._style and tag != "style"


def read_page(path: Path) -> BuiltPage:
    page = BuiltPage()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def find_addresses(css: str) -> list[str]:
    """What a style sheet fetches."""
    return [one or other for one, other in _CSS.findall(css)]


def is_outside(address: str) -> bool:
    """Does an address lead to another host?"""
    return bool(re.match(r"\s*(?:(?!data:)[a-zA-Z][\w+.-]*:|//)", address))

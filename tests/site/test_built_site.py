"""The built site needs nothing from outside, and says of every public name what it is."""

import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import evenhand
from markdown_pages import navigation

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


@cache
def _read(path: Path) -> BuiltPage:
    return read_page(path)


def _pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > len(navigation())
    return found


def test_every_page_of_the_navigation_is_built(site: Path) -> None:
    built = {path.relative_to(site).with_suffix(".md").as_posix() for path in _pages(site)}
    assert [one for one in navigation() if one not in built] == []


def test_no_page_fetches_anything_from_outside(site: Path) -> None:
    found = {(path.name, one) for path in _pages(site) for one in _read(path).fetched}
    assert len(found) > 100
    assert sorted(one for one in found if is_outside(one[1])) == []


def test_no_style_sheet_fetches_anything_from_outside(site: Path) -> None:
    sheets = list(site.rglob("*.css"))
    assert len(sheets) > 1
    found = [(one.name, address) for one in sheets for address in find_addresses(one.read_text())]
    assert [one for one in found if is_outside(one[1])] == []


def test_what_pages_fetch_is_there(site: Path) -> None:
    gone = {
        one
        for path in _pages(site)
        for one in _read(path).fetched
        if path.name != "404.html" and not one.startswith(("data:", "#"))
        if not (path.parent / unquote(re.split("[?#]", one)[0])).exists()
    }
    assert sorted(gone) == []


def test_links_lead_to_places_that_there_are(site: Path) -> None:
    dead = [
        f"{path.relative_to(site)}: {link}"
        for path in _pages(site)
        for link in _read(path).links
        if path.name != "404.html" and not is_outside(link) and not _leads(path, link)
    ]
    assert dead == []


def _leads(path: Path, link: str) -> bool:
    name, _, place = unquote(link).partition("#")
    target = (path.parent / name).resolve() if name else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    return not place or target.suffix != ".html" or place in _read(target).places


def test_every_public_name_is_in_the_reference_with_words(site: Path) -> None:
    text = "".join(path.read_text("utf-8") for path in sorted((site / "api").glob("*.html")))
    parts = re.split(r'<h2 id="evenhand\.(\w+)"', text)
    said = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert sorted(said) == sorted(evenhand.__all__)
    bodies = {name: part.partition("doc-contents")[2] for name, part in said.items()}
    assert [name for name, body in bodies.items() if "<p>" not in body[:4000]] == []


def test_examples_in_the_reference_are_code_and_no_quotations(site: Path) -> None:
    text = "".join(path.read_text("utf-8") for path in (site / "api").glob("*.html"))
    assert text.count("&gt;&gt;&gt;") > 50
    assert "<blockquote>" not in text


def test_functions_in_the_reference_show_their_signature(site: Path) -> None:
    text = (site / "api" / "rank.html").read_text("utf-8")
    first = re.split(r'<h2 id="evenhand\.', text)[1]
    plain = re.sub(r"<[^>]+>", "", first)
    assert re.search(r"rank\(\s*data: Comparisons\s*\| Rankings\s*\| Tally\s", plain)


@pytest.mark.parametrize("unseen", ["&lt;!-- setup", "<!-- setup", "no-run", "&lt;BLANKLINE"])
def test_what_is_written_for_tests_is_not_shown(site: Path, unseen: str) -> None:
    pages = [path for path in _pages(site) if "sources" not in path.parts]
    assert [path.name for path in pages if unseen in path.read_text("utf-8")] == []

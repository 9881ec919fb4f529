"""The catalogues of the judges' pages: what is extracted from the sources, and written anew.

    PYTHONPATH=tests python -m catalogues

writes messages.pot and takes its messages into each .po, where new ones are empty.
"""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

PACKAGE: Final = Path(__file__).parent.parent / "src" / "evenhand"
WORDS: Final = PACKAGE / "web" / "words"
PAGES: Final = ("frame", "join", "judge", "refusal")
KEYWORDS: Final = {"_": None, "ngettext": (1, 2), "Message": None}
HEADER: Final[dict[str, Any]] = {
    "project": "Evenhand",
    "version": "1",
    "header_comment": "# Words of the judges' pages of Evenhand: see docs/campaigns.md.",
    "msgid_bugs_address": "",
    "last_translator": "",
    "language_team": "",
    "fuzzy": False,
    "creation_date": datetime(2026, 11, 29, tzinfo=UTC),  # another one would change every file
}
STATIC: Final = PACKAGE / "web" / "static"
SCRIPTS: Final = sorted({*STATIC.glob("*.js")} - {STATIC / "admin.js"})  # of judges' pages
TRANSLATORS: Final = "Words:"
"""How comments begin that stand before a message for whoever translates it."""


def extract() -> Catalog:
    """Return the messages of the judges' pages, their script and the server's answers."""
    found = Catalog(**HEADER)
    pages = [PACKAGE / "web" / "pages" / f"{name}.html" for name in PAGES]
    sources = [(path, "jinja2.ext:babel_extract") for path in pages]
    sources += [(path, "javascript") for path in SCRIPTS]
    rooms = [PACKAGE / "design", PACKAGE / "web"]
    programs = sorted(path for room in rooms for path in room.rglob("*.py"))
    asked = "from evenhand.errors import"
    sources += [(path, "python") for path in programs if asked in path.read_text(encoding="utf-8")]
    for path, method in sources:
        options = {"keywords": KEYWORDS, "comment_tags": [TRANSLATORS], "strip_comment_tags": True}
        options |= {"options": {"parse_template_string": True}} if method == "javascript" else {}
        for line, message, comments, context in extract_from_file(method, path, **options):
            where = (path.relative_to(PACKAGE).as_posix(), line)
            found.add(message, locations=[where], auto_comments=comments, context=context)
    return found


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, abort_invalid=True)


def write(catalog: Catalog, path: Path) -> None:
    """Write a catalogue without numbers of lines, which change with every edit of a source."""
    written = BytesIO()
    write_po(written, catalog, width=100, include_lineno=False, ignore_obsolete=True)
    path.write_bytes(written.getvalue())


def renew() -> None:
    template = extract()
    for path in sorted(WORDS.glob("*.po")):
        held = read(path)
        held.update(template, no_fuzzy_matching=True, update_creation_date=False)
        write(held, path)
    write(template, WORDS / "messages.pot")


if __name__ == "__main__":
    renew()

"""How a report leaves: as a page, or as JSON with every number of the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.report.document import Report

# Ending that no report has → what serves instead
PRINTED: Final = {
    ".pdf": "a browser prints the page as PDF",
    ".tex": "LaTeX tables go into a folder (--tables FOLDER)",
    ".md": "Markdown tables go into a folder (--tables FOLDER)",
    ".csv": "CSV tables go into a folder (--tables FOLDER)",
    ".svg": "figures go into a folder (--figures FOLDER)",
    ".png": "figures go into a folder (--figures FOLDER)",
}


def write_json(report: Report) -> str:
    """Return every number of the report as JSON; none of them is infinite or missing."""
    return json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def write_html(report: Report) -> str:
    """Return the page."""
    from evenhand.report.html import write_page

    return write_page(report)


# Ending of a file → what writes it
FORMS: Final[dict[str, Callable[[Report], str]]] = {
    ".html": write_html,
    ".htm": write_html,
    ".json": write_json,
}


def find_form(path: Path) -> Callable[[Report], str]:
    """Return what writes a report into a file of this name."""
    ending = path.suffix.lower()
    if ending not in FORMS:
        hint = f"; {PRINTED[ending]}" if ending in PRINTED else ""
        said = f"the ending '{path.suffix}'" if path.suffix else "a name without an ending"
        raise UnknownOption(f"{path}: {said} says no form of a report: take .html or .json{hint}")
    return FORMS[ending]


def write_report(report: Report, path: Path) -> None:
    """Write a report in the form that the ending of its file says."""
    text = find_form(path)(report)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnknownOption(f"'{path}' cannot be written: {reason}") from None

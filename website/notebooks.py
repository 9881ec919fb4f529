"""The quickstarts as notebooks, which the site offers: the text of a page, commands as cells."""

import json
import re
from pathlib import Path
from typing import Any

from markdown_pages import blocks_between

DOCS = Path(__file__).parent.parent / "docs"
QUICKSTARTS = tuple(sorted(page.name for page in DOCS.glob("quickstart-*.md")))
_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:)[^)]*\)")  # to another page, which is not beside it
FOLDER = "notebooks"


def find_place(page: str) -> str:
    """Return where the notebook of a page lies on the site."""
    return f"{FOLDER}/{Path(page).stem}.ipynb"


def write_notebook(page: str) -> str:
    """Write a page as a notebook. What a page shows of outputs is left to the cells."""
    cells: list[dict[str, Any]] = []
    for text, block in blocks_between((DOCS / page).read_text("utf-8")):
        if text.strip():
            cells.append(_cell("markdown", _LINK.sub(r"\1", text).strip()))
        if block is None:
            continue
        code = block.code.rstrip("\n")
        if block.language == "console" and "no-run" not in block.words:
            lines = [one[2:] for one in code.splitlines() if one[:2] == "$ "]
            assert "\\\n" not in code, "a command of a quickstart has one line"
            cells.append(_cell("code", "\n".join(["%%bash", *lines])))
        elif block.language == "python" and "no-run" not in block.words:
            cells.append(_cell("code", _leave_prompts(code)))
        else:
            cells.append(_cell("markdown", f"```{block.language}\n{code}\n```"))
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _cell(kind: str, source: str) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **more}


def _leave_prompts(code: str) -> str:
    if ">>> " not in code:
        return code
    return "\n".join(line[4:] for line in code.splitlines() if line[:4] in (">>> ", "... "))

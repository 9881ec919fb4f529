"""The quickstarts run as notebooks, and print what the pages show."""

import doctest
import os
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

from markdown_pages import FLAGS, ROOT, Command, blocks, commands

sys.path.insert(0, str(ROOT))
from website.notebooks import QUICKSTARTS, write_notebook


@pytest.mark.slow
@pytest.mark.parametrize("page", QUICKSTARTS)
def test_a_quickstart_runs_as_a_notebook(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(sys.executable).parent  # of the command
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), os.environ["PATH"]]))
    monkeypatch.setenv("COLUMNS", "80")
    book = nbformat.reads(write_notebook(page), as_version=4)
    nbformat.validate(book)
    done = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": tmp_path}})
    printed = f"begin {_join_outputs(done.execute())} end"
    shown = list_shown(page)
    assert len(shown) >= 3
    checker = doctest.OutputChecker()
    for command in shown:
        assert checker.check_output(f"... {command.shown.strip()} ...", printed, FLAGS), (
            command.line
        )


def _join_outputs(book: dict) -> str:
    """What cells printed; of each the standard output and what stands beside it, apart."""
    cells = [cell["outputs"] for cell in book["cells"] if cell["cell_type"] == "code"]
    return "".join(
        one.get("text", "")
        for outputs in cells
        for name in ("stdout", "stderr")
        for one in outputs
        if one.get("name") == name
    )


def list_shown(page: str) -> list[Command]:
    """The commands of a page of which it shows an output."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    consoles = [one for one in blocks(text) if one.language == "console"]
    run = [one for one in consoles if "no-run" not in one.words]
    return [one for block in run for one in commands(block.code) if one.shown.strip()]

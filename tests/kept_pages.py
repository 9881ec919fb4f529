"""Writes what commands print into the pages that show it: `make docs KEEP=1`.

Only outputs that differ are written. Where a page shows some lines and `...`, as many stay.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from evenhand.cli.main import main
from markdown_pages import FLAGS, Block, blocks, commands, pages

SIGNATURE = re.compile(r"^sign   evenhand .*\n(?: {7}.*\n)*", re.MULTILINE)


def keep(page: Path) -> int:
    """Write a page's outputs anew, and return how many differed."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__page__"}
    changed = 0
    for block in blocks(text):
        if block.words & {"no-run", "slow"}:
            continue
        if block.language == "python":
            for want, got in _run(block, names):
                text, changed = text.replace(want, got, 1), changed + 1
        elif block.language == "console":
            fresh = _renew(block.code)
            if fresh != block.code:
                text, changed = text.replace(block.code, fresh, 1), changed + 1
    if changed:
        page.write_text(text, encoding="utf-8")
    return changed


class Keeper(doctest.DocTestRunner):
    """Gathers what examples printed instead of what they show."""

    def __init__(self) -> None:
        super().__init__(optionflags=FLAGS)
        self.differing: list[tuple[str, str]] = []

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:  # noqa: ARG002 - doctest's signature
        self.differing.append((example.want, got))


def _run(block: Block, names: dict[str, object]) -> list[tuple[str, str]]:
    """Run a block, and return what differs: what is shown, and what is printed."""
    if ">>> " not in block.code:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block.code, "page", "exec"), names)
        return []
    example = doctest.DocTestParser().get_doctest(block.code, names, "page", "page", 0)
    keeper = Keeper()
    keeper.run(example, out=lambda _: None, clear_globs=False)
    names.update(example.globs)
    return keeper.differing


def _renew(code: str) -> str:
    for command in commands(code):
        words = shlex.split(command.line, comments=True)[1:]
        printed = CliRunner().invoke(main, words, prog_name="evenhand", terminal_width=80).output
        same = doctest.OutputChecker().check_output(command.shown, printed, FLAGS)
        if command.shown.strip() and not same:
            code = code.replace(command.shown, _cut_alike(printed, command.shown), 1)
    return code


def _cut_alike(printed: str, shown: str) -> str:
    """Return as much of what was printed as was shown, before and behind its first `...`."""
    printed = SIGNATURE.sub("sign   evenhand ...\n", printed)
    lines = printed.rstrip("\n").split("\n")
    was = shown.rstrip("\n").split("\n")
    if "..." in was:
        before = was.index("...")
        behind = len(was) - 1 - before if was[-1] != "..." else 0
        if before + behind < len(lines):
            lines = [*lines[:before], "...", *(lines[-behind:] if behind else [])]
    end = "\n" * (len(shown) - len(shown.rstrip("\n")))
    return "\n".join(lines) + (end or "\n")


if __name__ == "__main__":
    chosen = {Path(one).resolve() for one in sys.argv[1:]} or {*pages()}
    for one in sorted(chosen):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            sys.stdout.write(f"{one.name}: {keep(one)} blocks rewritten\n")
            os.chdir("/")

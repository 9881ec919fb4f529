"""Reads a Markdown page: its blocks, links and headings. CONTRIBUTING.md has the rules."""

import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
"""How what a page shows may differ from what is printed."""

# a fenced block, or a comment that opens with the word "setup"
_BLOCK = re.compile(
    r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=fence)[ \t]*$"
    r"|^<!-- setup\n(?P<setup>.*?)^-->[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# [text](target "title") or, on a line of its own, [text]: target
_LINK = re.compile(
    r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """Code in a page: its language, the words after it, and the line on which the code begins."""

    language: str
    words: frozenset[str]
    code: str
    line: int


@dataclass(frozen=True)
class Command:
    """One `$ evenhand ...` of a console block, and what the page shows below it."""

    line: str
    shown: str


def pages() -> list[Path]:
    """README and everything under docs: the pages whose examples run."""
    readme = ROOT / "README.md"
    return [*([readme] if readme.exists() else []), *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[Block]:
    """The code of a page in its order; a `<!-- setup` comment counts as Python."""
    return (block for _, block in blocks_between(text) if block is not None)


def blocks_between(text: str) -> Iterator[tuple[str, Block | None]]:
    """The text before each block with the block; at last what follows, with none."""
    end = 0
    for match in _BLOCK.finditer(text):
        hidden = match["setup"] is not None
        language, *words = ["python"] if hidden else (match["info"].split() or [""])
        group = "setup" if hidden else "code"
        line = text.count("\n", 0, match.start(group)) + 1
        yield text[end : match.start()], Block(language, frozenset(words), match[group], line)
        end = match.end()
    yield text[end:], None


def commands(code: str) -> Iterator[Command]:
    """The `$ evenhand` lines of a console block, not those of other programs."""
    joined = code.replace("\\\n", " ")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        if line.split()[:1] == ["evenhand"]:
            yield Command(line, shown)


def links(text: str) -> list[str]:
    """The targets of a page's links, those in code excluded."""
    prose = _INLINE_CODE.sub("", _BLOCK.sub("", text))
    return [inline or reference for inline, reference in _LINK.findall(prose)]


def stray_prompts(text: str) -> list[str]:
    """Lines with a prompt that no test runs: of another language, or in an indented block."""
    others = [one.code for one in blocks(text) if one.language not in ("console", "python")]
    outside = _BLOCK.sub("", text)
    indented = re.findall(r"^[ \t]+(```.*|\$ evenhand .*|>>> .*)$", outside, re.MULTILINE)
    return [*re.findall(r"^\s*(?:\$ evenhand|>>>) .*$", "".join(others), re.MULTILINE), *indented]


def navigation() -> list[str]:
    """The pages that the site's navigation names, in its order."""
    _, _, tree = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    return re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", tree, re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The names that a code host gives to a page's headings."""
    headings = _HEADING.findall(_BLOCK.sub("", text))
    slugs = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return set(slugs)


NUMBER = re.compile(r"(?<![\w.])<?[−-]?(?:\d+(?:,\d{3})*)?\.?\d+(?![\w.]*\w)")
PRINTED = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
SMALL = 1e-4
"""Below which a p-value is shown as <.0001."""


def missing(shown, printed):
    """The numbers of a cell that no number of an output rounds to."""
    values = [float(one) for one in PRINTED.findall(printed)]
    lost = []
    for text in NUMBER.findall(shown):
        number = float(text.lstrip("<").replace("−", "-").replace(",", ""))
        digits = len(text.partition(".")[2])
        near = 0.5 * 10**-digits + 1e-9
        held = any(0 < value < SMALL for value in values) if text.startswith("<") else False
        if not held and not any(abs(value - number) <= near for value in values):
            lost.append(text)
    return lost

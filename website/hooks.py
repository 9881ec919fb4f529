"""What the site does to pages on their way: it is called by mkdocs, which `mkdocs.yml` tells so.

Pages are written to be read on a code host. Here links to files outside docs/ are given pages of
their own, words behind a fence's language are taken away, and unseen set-up code is left out. A
link to a program that writes a page leads to that page: the repository does not hold it.
"""

import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
DOCS, SOURCES = "docs", "sources"
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".yml": "yaml"}

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from benchmarks.pages import write_tables  # noqa: E402 - of the repository, which is no package
from website.notebooks import QUICKSTARTS, find_place, write_notebook  # noqa: E402
from website.reference import write_reference  # noqa: E402

from experiments.table import write_table  # noqa: E402

# Programs that write a page, and where it lies on the site
WRITTEN: dict[str, tuple[str, Callable[[], str]]] = {
    "website/reference.py": (f"{SOURCES}/reference.md", write_reference),
    "tests/experiments/table.py": (f"{SOURCES}/experiment-counts.md", write_table),
    "benchmarks/pages.py": (f"{SOURCES}/benchmark-tables.md", write_tables),
}

_FENCED = re.compile(
    r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)
_SETUP = re.compile(r"^<!-- setup\n.*?^-->[ \t]*\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)(?P<path>[^)\s#]+)(?P<rest>#[^)\s]*)?(?=\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Give every file that pages link to, and that does not lie in docs/, a page."""
    pages = [file for file in files.documentation_pages() if not file.generated_by]
    waiting = [
        target for page in pages for target in _leave_docs(page.content_string, _home(page.src_uri))
    ]
    while waiting:
        path = waiting.pop()
        if files.get_file_from_path(_uri(path)):
            continue
        content = _read(path)
        files.append(File.generated(config, _uri(path), content=content))
        waiting += _leave_docs(content, path) if path.endswith(".md") else []
    for name in QUICKSTARTS:
        files.append(File.generated(config, find_place(name), content=write_notebook(name)))
    return files


def on_page_markdown(
    markdown: str,
    page: Page,
    config: MkDocsConfig,  # noqa: ARG001 -- mkdocs gives these two by name
    files: Files,  # noqa: ARG001
) -> str:
    """Point links at the site's pages; leave out what is only for tests."""
    uri = page.file.src_uri
    markdown = _SETUP.sub("", markdown)
    parts, end = [], 0
    for match in _FENCED.finditer(markdown):
        parts += [_turn_links(markdown[end : match.start()], uri), _plain_fence(match)]
        end = match.end()
    notebook = f"\n[This page as a notebook]({find_place(uri)})\n" if uri in QUICKSTARTS else ""
    return "".join([*parts, _turn_links(markdown[end:], uri), notebook])


def _home(uri: str) -> str:
    """Where a page of the site lies in the repository."""
    inside, outside = f"{DOCS}/{uri}", uri.removeprefix(f"{SOURCES}/")
    return inside if outside == uri else outside


def _uri(path: str) -> str:
    """Where a file of the repository lies on the site."""
    if path in WRITTEN:
        return WRITTEN[path][0]
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    return f"{SOURCES}/{path}" if path.endswith(".md") else f"{SOURCES}/{path}.md"


def _leave_docs(text: str, home: str) -> Iterator[str]:
    for match in _LINK.finditer(_FENCED.sub("", text)):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), match["path"]))
        if not target.startswith(f"{DOCS}/") and (ROOT / target).is_file():
            yield target


def _turn_links(text: str, uri: str) -> str:
    home = _home(uri)

    def turn(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(home), match["path"]))
        if not (ROOT / target).is_file():
            return match[0]  # mkdocs says which
        return posixpath.relpath(_uri(target), posixpath.dirname(uri)) + (match["rest"] or "")

    return _LINK.sub(turn, text)


def _plain_fence(match: re.Match[str]) -> str:
    language = (match["info"].split() or ["text"])[0]
    if language == "python" and ">>> " in match["code"]:
        language = "pycon"
    code = match["code"].replace("<BLANKLINE>", "")
    return f"{match['fence']}{language}\n{code}{match['fence']}"


def _read(path: str) -> str:
    if path in WRITTEN:
        return WRITTEN[path][1]()
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"# `{path}`\n\n````{language}\n{text.rstrip()}\n````\n"

"""The documentation is whole: pages have a place, models an equation, and no block hides."""

import ast
import json
import re
import shlex
import tomllib
from collections import Counter
from pathlib import Path

import click
import pytest
from benchmarks.pages import BENCHMARKS, SHOWN, write_tables
from website.reference import write_reference

import evenhand
from evenhand.cli.main import VERBS, main
from evenhand.models.registry import MODELS
from markdown_pages import ROOT, Block, blocks, navigation, pages, stray_prompts

DOCS = ROOT / "docs"
MODEL_PAGES = sorted({*(DOCS / "models").glob("*.md")} - {DOCS / "models" / "which-model.md"})
LANGUAGES = {"console", "json", "python", "sh", "text", "toml"}
WORDS = {"console": {"refused", "no-run", "slow"}, "python": {"no-run", "slow"}}
UNRUN = {  # these read judgments that are not ours to distribute, or ask a server
    "docs/datasets.md": 1,
    "docs/engines.md": 3,
    "docs/metrics.md": 2,
    "docs/rules.md": 1,
    "docs/papers/beck2013.md": 5,
    "docs/papers/cohn_specia2013.md": 3,
    "docs/papers/hamon2007.md": 1,
    "docs/papers/hopkins_may2013.md": 8,
}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _unrun() -> list[tuple[str, Block]]:
    found = ((_name(page), one) for page in pages() for one in blocks(page.read_text("utf-8")))
    return [(name, one) for name, one in found if "no-run" in one.words]


def test_every_page_has_one_place_in_the_navigation() -> None:
    places = [one for one in navigation() if not one.startswith("sources/")]
    assert sorted(places) == sorted(
        page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")
    )


def test_the_site_is_built_so_that_every_warning_fails() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"-m mkdocs build(.*)$", recipe, re.MULTILINE) == [" --strict"]
    assert "strict: true" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_examples_of_every_page_of_the_navigation_are_run() -> None:
    run = {_name(page) for page in pages()}
    places = [one for one in navigation() if not one.startswith("sources/")]
    assert [one for one in places if f"docs/{one}" not in run] == []


@pytest.mark.parametrize("page", MODEL_PAGES, ids=_name)
def test_a_page_of_a_model_has_its_equation_and_says_when_not_to_use_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown = [one.code for one in blocks(text) if one.language == "text"]
    assert any(re.search(r"[=∝~]", code) for code in shown), "no fenced text with an equation"
    assert re.search(r"^## .*\b[Ww]hen not to use (it|them)$", text, re.MULTILINE)


def test_every_model_that_can_be_asked_for_is_named_where_models_are_chosen() -> None:
    page = (DOCS / "models" / "which-model.md").read_text(encoding="utf-8")
    assert [name for name in MODELS if f"`{name}`" not in page] == []


def test_every_public_name_has_one_place_in_the_reference() -> None:
    reference = "\n".join(page.read_text("utf-8") for page in (DOCS / "api").glob("*.md"))
    named = Counter(re.findall(r"^::: evenhand\.(\w+)$", reference, re.MULTILINE))
    assert named == Counter(evenhand.__all__)
    index = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    assert [name for name in evenhand.__all__ if f"`{name}`" not in index] == []


@pytest.mark.parametrize("page", pages(), ids=_name)
def test_a_block_is_in_a_language_that_is_known_here(page: Path) -> None:
    found = list(blocks(page.read_text(encoding="utf-8")))
    assert [one.line for one in found if one.language not in LANGUAGES] == []
    odd = [one.line for one in found if one.words - WORDS.get(one.language, set())]
    assert odd == [], "a word behind the language that nobody reads"


@pytest.mark.parametrize("page", pages(), ids=_name)
def test_no_example_stands_where_it_is_not_run(page: Path) -> None:
    assert stray_prompts(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", pages(), ids=_name)
def test_settings_that_are_shown_can_be_read(page: Path) -> None:
    for one in blocks(page.read_text(encoding="utf-8")):
        if one.language == "toml":
            tomllib.loads(one.code)


def test_blocks_that_do_not_run_are_those_that_need_what_is_not_ours() -> None:
    assert Counter(name for name, _ in _unrun()) == Counter(UNRUN)


def test_blocks_that_do_not_run_name_what_exists() -> None:
    for name, one in _unrun():
        if one.language == "python":
            lines = ast.parse(one.code).body
            imports = [line for line in lines if isinstance(line, ast.Import | ast.ImportFrom)]
            exec(compile(ast.Module(imports, []), f"{name}:{one.line}", "exec"), {})
        else:
            assert _unknown_options(one.code) == [], f"{name}:{one.line}"


def _unknown_options(code: str) -> list[str]:
    """The words of `evenhand` lines that no verb, or no option of the verb, is called."""
    assert isinstance(main, click.Group)
    context = click.Context(main, info_name="evenhand")
    unknown = []
    for line in re.findall(r"^(?:\$ )?evenhand (.+)$", code, re.MULTILINE):
        verb, *words = shlex.split(line)
        command = main.get_command(context, verb)
        known = {name for one in command.params for name in one.opts} if command else set()
        unknown += [word for word in words if word.startswith("--") and word not in known]
        unknown += [] if command else [verb]
    return unknown


def test_the_reference_that_the_site_writes_has_every_verb_and_its_json() -> None:
    text = write_reference()
    assert re.findall(r"^### evenhand (.+)$", text, re.MULTILINE) == list(VERBS)
    shown = re.findall(r"^```json\n(.+?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(shown) == len(VERBS) - len({"report", "demo", "serve", "ask", "convert"})
    assert all(isinstance(json.loads(one), dict) for one in shown)


def test_the_tables_of_the_benchmarks_are_among_those_that_the_site_writes() -> None:
    page, whole = BENCHMARKS.read_text("utf-8"), write_tables()
    _, *tables = re.split(r"^### ", page, flags=re.MULTILINE)
    assert [one.partition("\n")[0] for one in tables] == [": ".join(case) for case in SHOWN]
    for one in tables:
        assert one.partition("\n<!--")[0].strip() in whole

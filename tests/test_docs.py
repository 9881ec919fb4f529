"""The documentation keeps its word: names are there, links lead somewhere, examples run."""

import contextlib
import doctest
import io
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main
from evenhand.datasets.public import public_sets
from evenhand.ranking.methods import RULES
from experiments.table import read_kept
from markdown_pages import FLAGS, ROOT, Block, Command, anchors, blocks, commands, links, pages

MARKDOWN = [
    *pages(),
    *(path for name in ("CHANGELOG", "CONTRIBUTING") if (path := ROOT / f"{name}.md").exists()),
]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _slow_code(page: Path) -> str:
    """The blocks of a page that run in `make slow` alone."""
    found = blocks(page.read_text(encoding="utf-8"))
    return "".join(one.code for one in found if "slow" in one.words)


def _runs_something(page: Path) -> bool:
    """Whether a page has a block that runs in `make test`."""
    return any(
        one.language == "python" or (one.language == "console" and [*commands(one.code)])
        for one in blocks(page.read_text(encoding="utf-8"))
        if not one.words & {"no-run", "slow"}
    )


def _everything() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages())


@pytest.mark.parametrize("name", evenhand.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", _everything()), f"no page of docs/ or README says {name}"


def test_the_command_line_has_verbs() -> None:
    assert isinstance(main, click.Group)
    assert {"inspect", "rank", "fit", "convert", "demo"} <= set(main.list_commands(_context()))


def test_every_verb_of_the_command_line_is_documented() -> None:
    text = _everything()
    verbs = main.list_commands(_context())
    assert [verb for verb in verbs if not re.search(rf"\bevenhand {verb}\b", text)] == []


def _context() -> click.Context:
    return click.Context(main, info_name="evenhand")


@pytest.mark.parametrize("page", MARKDOWN, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    assert [target for target in links(page.read_text("utf-8")) if _dead(page, target)] == []


def _dead(page: Path, target: str) -> bool:
    if re.match(r"[a-z]+:", target):
        return False
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists() or not file.is_relative_to(ROOT):
        return True
    return bool(anchor) and anchor not in anchors(file.read_text(encoding="utf-8"))


def test_files_of_code_that_pages_name_are_there() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in MARKDOWN)
    there = {file.name for file in ROOT.glob("[!.]*/**/*.py")}
    assert {*re.findall(r"`(?:\w+/)*(\w+\.py)`", text)} - there == set()


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("No code.\n", False),
        ("```python no-run\n1\n```\n", False),
        ("```console slow\n$ evenhand demo\n```\n", False),
        ("```console\n$ make test\n```\n", False),
        ("```console\n$ evenhand demo\n```\n", True),
        ("```python\n1\n```\n", True),
    ],
)
def test_a_page_of_which_nothing_runs_is_not_counted(
    tmp_path: Path, text: str, *, runs: bool
) -> None:
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert _runs_something(tmp_path / "page.md") == runs


@pytest.mark.parametrize("page", [page for page in pages() if _runs_something(page)], ids=_name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _run_page(page, {"no-run", "slow"})


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in pages() if _slow_code(page)], ids=_name)
def test_slow_examples_run_where_their_judgments_are(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data_set: Callable[[str], Path],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in public_sets():
        if f"{name}/" in _slow_code(page) or f'"{name}"' in _slow_code(page):
            (tmp_path / name).symlink_to(data_set(name))
            for file in re.findall(rf"(?<![\w/])({name}/[\w.]+\.\w+)", _slow_code(page)):
                if not (tmp_path / file).exists():
                    pytest.skip(f"{file} is not here: it is not in what demo --fetch loads")
    _run_page(page, {"no-run"})


def _run_page(page: Path, omitted: set[str]) -> None:
    names: dict[str, object] = {"__name__": "__page__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.words & omitted:
            continue
        if block.language == "python":
            _run_python(block, names, page)
        elif block.language == "console":
            for command in commands(block.code):
                _run_command(command, 2 if "refused" in block.words else 0)


def _run_python(block: Block, names: dict[str, object], page: Path) -> None:
    """Run a block in its page's namespace; one with prompts must print what it shows."""
    where = f"{_name(page)}:{block.line}"
    if ">>> " not in block.code:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile("\n" * (block.line - 1) + block.code, _name(page), "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(block.code, names, where, where, block.line - 1)
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    runner.run(example, out=report.write, clear_globs=False)
    names.update(example.globs)
    assert report.getvalue() == ""


def _run_command(command: Command, code: int) -> None:
    """Run `evenhand ...` in this process; what the page shows below it must be what it prints."""
    words = shlex.split(command.line, comments=True)[1:]
    shell = {"|", ">", "<", "&&", ";"} & set(words)
    assert not shell, f"a page's command runs without a shell: {command.line}"
    result = CliRunner().invoke(main, words, prog_name="evenhand", terminal_width=80)
    crash = None if isinstance(result.exception, SystemExit) else result.exception
    assert crash is None, f"{command.line}: {crash!r}"
    assert result.exit_code == code, f"{command.line}: exit {result.exit_code}\n{result.output}"
    if command.shown.strip():
        same = doctest.OutputChecker().check_output(command.shown, result.output, FLAGS)
        assert same, f"{command.line} printed\n{result.output}"


READ_ME = (ROOT / "README.md").read_text(encoding="utf-8")
README = " ".join(READ_ME.split())


def test_what_the_readme_counts_is_there():
    assert "Sixteen rules from ORIGWMT to TrueSkill" in README
    assert len(RULES) == 16
    pages = {path.name for path in (ROOT / "docs" / "papers").glob("*.md")} - {"index.md"}
    assert "the analyses of seven [papers]" in README
    assert len(pages) == 7
    shown = README.partition("## Five commands ```text")[2].partition("```")[0]
    assert shown.count("evenhand ") == 5


def test_commands_of_the_readme_read_files_that_an_earlier_one_writes():
    written = set()
    for line in re.findall(r"^(?:\$ )?(evenhand .+?)(?: +#.*)?$", READ_ME, re.MULTILINE):
        words = shlex.split(line)
        output = words[words.index("-o") + 1] if "-o" in words else None
        files = {one for one in words if re.search(r"\.\w{3,5}$", one)} - {output}
        assert files <= written, line
        written.add(output)
    assert {"votes.csv", "page.html"} <= written


def test_what_the_order_of_all_systems_saves_is_what_experiments_kept():
    """E5: judgments that the policy needs, by those of random pairs."""
    kept = [row["counts"] for row in read_kept() if row["experiment"] == "E5"]
    ratios = [float(one) for one in re.findall(r"ratio of n\* ([\d.]+)", " ".join(kept))]
    assert "saves a quarter to a third of the judgments in campaigns with known truth" in README
    assert len(ratios) == 2
    assert all(0.25 <= 1 - one <= 0.36 for one in ratios)


def test_the_savings_that_the_readme_names_are_those_of_the_table():
    """Also what a policy costs: `--top-k 3` on LLMFAO takes more judgments than random pairs."""
    page = (ROOT / "docs" / "next-pair.md").read_text(encoding="utf-8")
    cell = r"\| (order|first 3) \| .*? \| ([−\d]+) % \(([−\d]+) to ([−\d]+)\) \|"
    rows = [
        (policy, *(int(number.replace("−", "-")) for number in numbers))
        for policy, *numbers in re.findall(cell, page.replace("`", ""))
    ]
    saved = [share for policy, share, low, _ in rows if policy == "order" and low > 0]
    first = [row[1:] for row in rows if row[0] == "first 3"]
    assert (len(saved), len(rows) / 2, min(saved), max(saved)) == (4, 7, 18, 34)
    assert "a fifth to a third on four of seven real data sets" in README
    assert [share for share, low, _ in first if low > 0] == [55, 75]
    assert [row for row in first if row[2] < 0] == [(-20, -40, -9)]
    assert "saves 55 and 75 % on two of the seven, costs 20 % (9 to 40 %) on one" in README
    assert len(first) - 3 == 4
    assert "is undecided on four" in README

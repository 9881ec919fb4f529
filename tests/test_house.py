"""The house rules of CONTRIBUTING.md that a machine can check."""

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import evenhand
from evenhand import design, formats, web

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "evenhand"
HEAVY = {"duckdb", "narwhals", "numpy", "pandas", "polars", "pyarrow", "scipy"}
SWAMPS = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
TEXT = {"", ".cfg", ".csv", ".html", ".json", ".md", ".py", ".toml", ".txt", ".yaml", ".yml"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file of the house, parsed."""

    name: str  # relative to the root, with forward slashes
    lines: int
    tree: ast.Module
    nodes: tuple[ast.AST, ...]  # of the tree, however deep

    @property
    def module(self) -> str:
        """The dotted name of a file under src."""
        parts = Path(self.name).with_suffix("").parts[1:]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def functions(self) -> Iterator[tuple[Function, bool]]:
        """Every function, however deep, and whether it is a method with a self or cls."""
        methods = {
            id(child)
            for node in self.classes()
            for child in node.body
            if isinstance(child, Function) and "staticmethod" not in _decorators(child)
        }
        for node in self.nodes:
            if isinstance(node, Function):
                yield node, id(node) in methods

    def classes(self) -> Iterator[ast.ClassDef]:
        """Every class, however deep."""
        return (node for node in self.nodes if isinstance(node, ast.ClassDef))


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """The Python files of some folders of the root."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    gc.disable()  # nothing here is garbage, and looking for it takes four times as long as parsing
    try:
        return tuple(_parse(path) for path in paths)
    finally:
        gc.enable()


@cache
def _parse(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    name, lines = path.relative_to(ROOT).as_posix(), len(text.splitlines())
    return Source(name, lines, tree, tuple(ast.walk(tree)))


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    """A million and a half nodes do not stay in memory for the tests that follow."""
    yield
    sources.cache_clear()
    _parse.cache_clear()


def _decorators(node: Function | ast.ClassDef) -> dict[str, ast.expr]:
    """The last word of each decorator, `dataclass` of `@dataclasses.dataclass(frozen=True)`."""
    bare = [(one.func if isinstance(one, ast.Call) else one, one) for one in node.decorator_list]
    return {ast.unparse(name).rpartition(".")[2]: whole for name, whole in bare}


def _body_lines(function: Function) -> int:
    """Lines from the first statement after the docstring to the end."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def _positional(function: Function, *, method: bool) -> list[ast.arg]:
    """The parameters that can be given by position, without self or cls."""
    return [*function.args.posonlyargs, *function.args.args][int(method) :]


def _complaints(rule: Callable[[Source], Iterator[str]], *folders: str) -> list[str]:
    return [f"{source.name}: {line}" for source in sources(*folders) for line in rule(source)]


def test_files_have_at_most_1000_lines() -> None:
    everything = sources("src", "tests", "benchmarks")
    assert [f"{one.name}: {one.lines}" for one in everything if one.lines > 1000] == []


def test_functions_have_at_most_100_lines_without_their_docstring() -> None:
    def long(source: Source) -> Iterator[str]:
        for function, _ in source.functions():
            if (lines := _body_lines(function)) > 100:
                yield f"{function.name} has {lines} lines"

    assert _complaints(long, "src", "tests", "benchmarks") == []


def test_functions_take_at_most_five_positional_parameters() -> None:
    def wide(source: Source) -> Iterator[str]:
        for function, method in source.functions():
            if (count := len(_positional(function, method=method))) > 5:
                yield f"{function.name} takes {count}"

    assert _complaints(wide, "src") == []


def test_no_function_accepts_whatever_keywords_it_is_given() -> None:
    def loose(source: Source) -> Iterator[str]:
        for function, _ in source.functions():
            taken = function.args.kwarg
            # a decorator passes on the keywords of the function that it wraps: **kwargs: P.kwargs;
            # an option of the command line passes on those of click.Option; a template is filled
            # with the values that it names, as str.format is
            passes_on = taken and (source.module, taken.arg) in (
                ("evenhand.cli.options", "settings"),
                ("evenhand.render.document", "values"),
            )
            if taken and not isinstance(taken.annotation, ast.Attribute) and not passes_on:
                yield f"{function.name} takes **{taken.arg}"

    assert _complaints(loose, "src") == []


def test_booleans_are_given_by_keyword() -> None:
    def flags(source: Source) -> Iterator[str]:
        for function, method in source.functions():
            for argument in _positional(function, method=method):
                note = ast.unparse(argument.annotation) if argument.annotation else ""
                if re.search(r"\bbool\b", note) and "[" not in note:
                    yield f"{function.name}({argument.arg}: {note})"

    assert _complaints(flags, "src") == []


def test_nothing_is_named_after_a_swamp() -> None:
    def swampy(source: Source) -> Iterator[str]:
        words = re.split(r"[/_.]", source.name)
        yield from (f"the path says '{word}'" for word in words if word in SWAMPS)
        for one in source.classes():
            if re.search(r"(Helpers?|Manager|Misc|Utils?)$", one.name):
                yield f"class {one.name}"

    assert _complaints(swampy, "src", "tests", "benchmarks") == []


def test_public_dataclasses_are_frozen() -> None:
    def thawed(source: Source) -> Iterator[str]:
        for one in source.classes():
            made = _decorators(one).get("dataclass")
            if made is None or one.name.startswith("_"):
                continue
            options = made.keywords if isinstance(made, ast.Call) else []
            if not any(o.arg == "frozen" and ast.unparse(o.value) == "True" for o in options):
                yield f"class {one.name}"

    assert _complaints(thawed, "src") == []


def test_every_module_says_what_it_is_for() -> None:
    assert [one.name for one in sources("src") if not ast.get_docstring(one.tree)] == []


def test_public_names_have_docstrings() -> None:
    def silent(source: Source) -> Iterator[str]:
        for node in source.tree.body:
            if not isinstance(node, Function | ast.ClassDef) or node.name not in evenhand.__all__:
                continue
            inside = node.body if isinstance(node, ast.ClassDef) else []
            methods = [one for one in inside if isinstance(one, Function)]
            for one in (node, *(m for m in methods if not m.name.startswith("_"))):
                if not ast.get_docstring(one):
                    yield f"{node.name}: {one.name}"

    assert _complaints(silent, "src") == []


def test_numbers_are_not_papered_over_and_errors_not_swallowed() -> None:
    def hidden(source: Source) -> Iterator[str]:
        for node in source.nodes:
            if isinstance(node, ast.Attribute | ast.Name):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                if name == "_".join(("nan", "to", "num")):
                    yield f"line {node.lineno}: {name}"
            if isinstance(node, ast.ExceptHandler):
                caught = ast.unparse(node.type) if node.type else "everything"
                if caught in {"everything", "Exception", "BaseException"}:
                    yield f"line {node.lineno}: catches {caught}"

    assert _complaints(hidden, "src") == []


def test_tests_can_fail_and_say_why_they_skip() -> None:
    def toothless(source: Source) -> Iterator[str]:
        for node in source.nodes:
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant):
                yield f"line {node.lineno}: asserts a constant"
            bare = isinstance(node, ast.Call) and not (node.args or node.keywords)
            if bare and ast.unparse(node) == "pytest.skip()":
                yield f"line {node.lineno}: skips without a reason"

    assert _complaints(toothless, "tests") == []


def test_models_do_not_import_models() -> None:
    """A model is a file with a public class that has a `fit`; it shares through other files."""
    models = {
        one.module: one
        for one in sources("src/evenhand/models", "src/evenhand/ratings")
        if any(_can_fit(made) for made in one.classes())
    }
    crossing = [
        f"{name} imports {node.module}"
        for name, one in models.items()
        for node in one.nodes
        if isinstance(node, ast.ImportFrom) and node.module in models.keys() - {name}
    ]
    assert crossing == []


def test_files_form_no_circle_of_imports_not_even_for_types() -> None:
    """Two files that need each other are one; imports inside functions count as well."""
    # a package's own file lends names; what they need is in the files that define them
    files = {one.module: one for one in sources("src") if not one.name.endswith("__init__.py")}
    imports: dict[str, set[str]] = {}
    for name, one in files.items():
        places = [
            (node.module, alias.name)
            for node in one.nodes
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        ]
        named = {f"{module}.{what}" for module, what in places} | {module for module, _ in places}
        imports[name] = named & files.keys() - {name}
    # without the files that import nothing of what is left, only circles are left
    while free := {name for name, used in imports.items() if not used & imports.keys()}:
        imports = {name: used for name, used in imports.items() if name not in free}
    assert sorted(imports) == []


def _can_fit(made: ast.ClassDef) -> bool:
    return made.name in evenhand.__all__ and hasattr(getattr(evenhand, made.name), "fit")


def _tracked() -> list[Path]:
    """The files of the repository, new ones included; of an unpacked archive, all visible files."""
    if not (ROOT / ".git").exists():
        every = (path for path in ROOT.rglob("*") if path.is_file())
        return [p for p in every if not any(q.startswith(".") for q in p.relative_to(ROOT).parts)]
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for line in listed.splitlines() if (path := ROOT / line).is_file()]


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    places = "|".join(("farm", "home", "root", "tmp", "Users", "work"))
    local = re.compile(rf"(^|[^A-Za-z0-9_.~-])/({places})/|index" + "-url", re.MULTILINE)
    found = [
        f"{path.relative_to(ROOT)}: {match[0].strip()}"
        for path in _tracked()
        if path.suffix in TEXT and (match := local.search(path.read_text("utf-8", "replace")))
    ]
    assert found == []


@pytest.mark.parametrize("package", [evenhand, design, formats, web])
def test_a_package_lends_each_name_of_its_stub_and_no_other(package: ModuleType) -> None:
    stub = ast.parse(Path(f"{package.__file__}i").read_text(encoding="utf-8"))
    listed = {
        alias.name: node.module
        for node in ast.walk(stub)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(package.__all__) == sorted(listed)
    assert set(listed) <= set(dir(package))
    for name, module in listed.items():
        value = getattr(package, name)
        assert getattr(value, "__module__", module) == module, name
    with pytest.raises(AttributeError, match="no attribute 'brandley'"):
        _ = package.brandley


def _loaded_after(code: str) -> set[str]:
    """Which dear modules a fresh interpreter holds after running some code."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return HEAVY.intersection(run.stdout.splitlines())


def test_help_imports_nothing_dear() -> None:
    code = "from evenhand.cli.main import main\nmain(['--help'], standalone_mode=False)"
    assert _loaded_after(code) == set()


def test_importing_the_whole_house_imports_neither_scipy_nor_a_data_frame_library() -> None:
    names = [one.module for one in sources("src") if not one.name.endswith("__main__.py")]
    assert _loaded_after(f"import {', '.join(names)}") <= {"duckdb", "narwhals", "numpy"}


# Sentences may be searched where they come from elsewhere: click, DuckDB, SQLite, the system
FOREIGN_WORDS = {
    "evenhand.cli.main",
    "evenhand.formats.layouts.annotation_tools",
    "evenhand.formats.remote_files",
    "evenhand.web.analysis",
    "evenhand.web.store.audit",
    "evenhand.web.store.database",
}
SENTENCE = re.compile(
    r"\b(notes?|says|said|sentences?|remarks?|messages?|why|reasons?|refusal|findings?)\b"
)
SEARCHES = {"startswith", "endswith", "replace", "partition", "rpartition"}
SEARCHES |= {"removeprefix", "removesuffix"}


def test_nothing_is_decided_by_the_words_of_a_sentence() -> None:
    """Code branches on the code and the values of a finding, never on its text."""

    def parsed(source: Source) -> Iterator[str]:
        if source.module in FOREIGN_WORDS:
            return
        for node in source.nodes:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in SEARCHES
                and SENTENCE.search(ast.unparse(node.func.value).partition("(")[0])
            ):
                yield f"line {node.lineno}: {ast.unparse(node)}"

    assert _complaints(parsed, "src") == []


OLD_WORDS = re.compile(
    r"\b(worlds|by lot|foresees?|foreseen|dealt out|hangs? together|go(es)? round|doubted"
    r"|taken back|turned round|written anew|no sign of|no sign that)\b",
    re.IGNORECASE,
)


def test_no_text_has_the_private_words_of_before() -> None:
    """Texts that people read use the field's terms: replicates, randomised, predict, correlated."""
    places = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    places += [*(ROOT / "src").rglob("*.html"), *(ROOT / "src").rglob("*.js")]
    found = [
        f"{path.name}: {word[0]}"
        for path in places
        for word in OLD_WORDS.finditer(path.read_text(encoding="utf-8"))
    ]

    def old(source: Source) -> Iterator[str]:
        for node in source.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                word = OLD_WORDS.search(node.value)
                if word:
                    yield f"line {node.lineno}: {word[0]}"

    assert found + _complaints(old, "src") == []

"""What all tests share: where real judgments lie, the golden numbers, hypothesis' settings."""

import gc
import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

import golden_numbers
from evenhand.datasets import public

# The same examples in every run, and no limit of time per example: machines differ.
settings.register_profile("house", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("house")


LONG = (
    *("faults", "web", "engines", "corpus", "test_docs.py", "test_notebooks.py", "test_package.py"),
    *("experiments", "ranking", "cli", "models"),
)


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: tests wait for servers, browsers and disks."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files of slow tests and with folders of long ones, lest one process ends alone.

    Raises UsageError where the file of a slow test does not say so: `make slow` looks for it.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    hidden = [str(path) for path in slow if "mark.slow" not in path.read_text(encoding="utf-8")]
    if hidden:
        raise pytest.UsageError(f"write mark.slow in {', '.join(sorted(hidden))}")
    places = {name: place for place, name in enumerate(LONG)}
    tests = Path(__file__).parent
    items.sort(
        key=lambda item: (
            item.path not in slow,
            places.get(item.path.relative_to(tests).parts[0], len(LONG))
            if item.path.is_relative_to(tests)
            else len(LONG),
        )
    )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in docstrings of the package alone: tests have none."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector pass over what stays for the whole run anyway.

    Twelve thousand tests and all that they import are millions of objects. Every full collection
    would visit them, and statsmodels' `multipletests` asks for one at each call.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real judgment files, which are not distributed with the project."""
    named = os.environ.get("EVENHAND_DATA")
    if not named:
        pytest.skip("EVENHAND_DATA is not set: this test reads real judgment files")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"EVENHAND_DATA is {named}, which is not a folder")
    return folder


@pytest.fixture(scope="session")
def data_set() -> Callable[[str], Path]:
    """`data_set("llmfao")` returns the folder of published judgments, or skips."""

    def find(name: str) -> Path:
        folder = public.find(name)
        if folder is None:
            pytest.skip(f"{name} is not here: see `evenhand demo --fetch {name}`")
        return folder

    return find


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], golden_numbers.Golden]:
    """`golden(file, entry)` returns one entry of tests/golden/<file>.json."""
    return golden_numbers.golden

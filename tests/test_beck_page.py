"""The numbers of docs/papers/beck2013.md are those that its code prints.

One pair of languages and one task without EVENHAND_WHOLE.
"""

import re

import pytest

from evenhand import QueryCurves
from experiments.campaign import WHOLE
from markdown_pages import ROOT, blocks

PAGE = (ROOT / "docs" / "papers" / "beck2013.md").read_text(encoding="utf-8")
CODE = [block.code for block in blocks(PAGE) if block.language == "python"]
PAIRS = ("en-de", "en-zh", "et-en", "ne-en")
TASKS = ("eng-ces", "eng-deu", "eng-hrv", "eng-jpn", "eng-zho", "zho-eng")

pytestmark = pytest.mark.slow


def cells(name):
    """The row of a table, as lists of numbers."""
    (line,) = re.findall(rf"^\| {name} \|(.*)\|$", PAGE, re.MULTILINE)
    return [[float(one) for one in re.findall(r"-?\d*\.?\d+", cell)] for cell in line.split("|")]


@pytest.fixture
def run(data_set, tmp_path, monkeypatch):
    """Run blocks of the page, for another pair or task, and return the curves that are printed."""

    def run_blocks(*numbers, instead):
        for data in ("mlqe_pe_da", "wmt22_calibration"):
            (tmp_path / data).symlink_to(data_set(data))
        monkeypatch.chdir(tmp_path)
        found: list[QueryCurves] = []
        names = {"print": found.append}
        for code in (CODE[number].replace(*instead) for number in numbers):
            exec(code, names)
        (curves,) = found
        return curves.to_dict()

    return run_blocks


def shares(found, query, slack):
    (one,) = (
        row
        for row in found["shares"]
        if (row["query"], row["measure"], row["slack"]) == (query, "mae", slack)
    )
    return one


def whole_error(found):
    return round(found["points"][-1]["mae"], 2)


@pytest.mark.parametrize("pair", PAIRS if WHOLE else PAIRS[:1])
def test_shares_of_labels_within_a_pair(pair, run):
    found = run(0, 1, instead=('"en-de"', f'"{pair}"'))
    error, *needed, saved = cells(pair)
    assert error == [whole_error(found)]
    for query, shown in zip(("random", "uncertainty", "density"), needed, strict=True):
        tight, slack = (shares(found, query, by) for by in (0.01, 0.02))
        ends = [tight["share"], tight["lower"], tight["upper"], slack["share"]]
        assert shown == [round(100 * one) for one in ends]
    one = shares(found, "uncertainty", 0.01)
    assert saved == [round(100 * one[key]) for key in ("saved", "saved_lower", "saved_upper")]


@pytest.mark.skipif(not WHOLE, reason="EVENHAND_WHOLE is not set: it takes minutes")
def test_shares_of_labels_of_all_pairs(run):
    found = run(0, 2, instead=("", ""))
    said = " ".join(PAGE.split())
    for query in ("random", "uncertainty", "density"):
        one = shares(found, query, 0.01)
        share, low, high = (round(100 * one[key]) for key in ("share", "lower", "upper"))
        assert re.search(rf"{query} (needs )?{share} % \({low} to {high}\)", said)


@pytest.mark.parametrize("task", TASKS if WHOLE else TASKS[:1])
def test_points_below_random_of_a_task(task, run):
    found = run(0, 3, instead=('"eng-ces"', f'"{task}"'))
    error, *below = cells(task)
    assert error == [whole_error(found)]
    for query, shown in zip(("uncertainty", "density"), below, strict=True):
        one = found["less_than_random"][query]
        near = [float(f"{one[key]:.2g}") for key in ("value", "lower", "upper")]
        assert shown == pytest.approx(near, abs=0.0051)

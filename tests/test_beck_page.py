"""The numbers of docs/papers/beck2013.md are those that its code prints.

One pair of languages, one task and one draw of texts without EVENHAND_WHOLE.
"""

import math
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

    def run_blocks(*numbers, instead, more=()):
        for data in ("mlqe_pe_da", "wmt22_calibration"):
            (tmp_path / data).symlink_to(data_set(data))
        monkeypatch.chdir(tmp_path)
        found: list[QueryCurves] = []
        names = {"print": found.append}
        for number in numbers:
            code = CODE[number].replace(*instead)
            for old, new in more if number == numbers[-1] else ():
                assert old in code
                code = code.replace(old, new)
            exec(code, names)
        (curves,) = found
        told = curves.to_dict()
        # the claim: no part of any pool beats all of it
        assert min(part["p"] for part in told["parts"]) > 0.05
        return told

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


TEXTS = [(1, 400, 700), (2, 400, 700), (3, 400, 700), (1, 1000, 1600)]


def text_cells(seed, pool):
    """The row of simulated texts, as lists of numbers after its draw and pool."""
    (line,) = re.findall(rf"^\| {seed} \| {pool:,} \|(.*)\|$", PAGE, re.MULTILINE)
    return [[float(one) for one in re.findall(r"-?\d*\.?\d+", cell)] for cell in line.split("|")]


@pytest.mark.parametrize(("seed", "pool", "n"), TEXTS if WHOLE else TEXTS[:1])
def test_simulated_texts(seed, pool, n, run):
    more = [("pool=400", f"pool={pool}"), ("simulate(700", f"simulate({n}")]
    found = run(0, 4, instead=("seed=1)", f"seed={seed})"), more=more)
    error, *needed, uncertainty, density = text_cells(seed, pool)
    assert error == [whole_error(found)]
    for query, shown in zip(("random", "uncertainty", "density"), needed, strict=True):
        one = shares(found, query, 0.01)
        assert shown == [round(100 * one[key]) for key in ("share", "lower", "upper")]
    for query, shown in (("uncertainty", uncertainty), ("density", density)):
        one = found["less_than_random"][query]
        assert shown == [float(f"{one[key]:.2g}") for key in ("value", "lower", "upper")]


def test_the_claims_are_those_of_the_tables():
    said = " ".join(PAGE.split())
    saved = [cells(pair)[-1] for pair in PAIRS]
    assert sum(low > 0 for _, low, _ in saved) == 1
    assert "significantly fewer labels than random choices in one of the four pairs" in said
    uncertainty, density = ([cells(task)[at] for task in TASKS] for at in (1, 2))
    better, worse = (
        [sum(low > 0 for _, low, _ in rows), sum(high < 0 for *_, high in rows)]
        for rows in (uncertainty, density)
    )
    assert (better, worse) == ([2, 1], [2, 0])
    assert "in 2 of 6 tasks and worse in 1; density in 2 and none" in said
    texts = [text_cells(seed, pool) for seed, pool, _ in TEXTS]
    for name, at in (("random choices need", 1), ("uncertainty", 2)):
        own = [row[at][0] for row in texts]
        assert f"{name} {min(own):.0f} to {max(own):.0f} %" in said.partition("simulated texts]")[2]
    assert max(low for row in texts for _, low, _ in row[4:]) <= 0
    # one rating of each output is the feature, two more make a label
    needed = [cells(pair)[2][0] for pair in PAIRS]
    ends = [round((1 + 2 * share / 100) / 3 * 100) for share in (min(needed), max(needed))]
    assert f"{ends[0]} to {ends[1]} % for {min(needed):.0f} to {max(needed):.0f} %" in said
    assert math.sqrt(10**2 / 2) * math.sqrt(2 / math.pi) == pytest.approx(5.6, abs=0.05)

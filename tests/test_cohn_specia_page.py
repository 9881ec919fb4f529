"""The numbers of docs/papers/cohn_specia2013.md are those that its code prints.

One task of each data set without EVENHAND_WHOLE: a task takes a minute or more.
"""

import pytest

from experiments.campaign import WHOLE
from markdown_pages import ROOT, blocks

PAGE = (ROOT / "docs" / "papers" / "cohn_specia2013.md").read_text(encoding="utf-8")
CODE = [block.code for block in blocks(PAGE) if block.language == "python"]
TASKS = ("eng-ces", "eng-deu", "eng-hrv", "eng-jpn", "eng-zho", "zho-eng")
PAIRS = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
SHOWN = ("independent", "pooled + means", "ridge")

pytestmark = pytest.mark.slow
whole = pytest.mark.skipif(not WHOLE, reason="EVENHAND_WHOLE is not set: it takes minutes")


def write_more(more):
    return f"{more.value:+.2f} ({more.lower:+.2f} to {more.upper:+.2f})"


def write_row(name, errors, methods=SHOWN):
    by = {one.method: one for one in errors.tabulate()}
    cells = [write_more(by[method].mae_more) for method in methods]
    return f"| {name} | {by['multi-task'].mae:.2f} | {' | '.join(cells)} |"


@pytest.fixture(scope="module")
def names(data_set, tmp_path_factory):
    """What the page's functions are called, in a folder with its data."""
    folder = tmp_path_factory.mktemp("page")
    for data in ("wmt22_calibration", "mlqe_pe_da"):
        (folder / data).symlink_to(data_set(data))
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec("\n".join(CODE), found)
        yield found


def count_claims(parts):
    """Comparisons whose intervals exclude 0, and those that do so by Bonferroni, of all."""
    more = [one.mae_more for part in parts for one in part.tabulate() if one.mae_more]
    clear = [one for one in more if one.lower > 0]
    return len(clear), sum(one.p < 0.05 / len(more) for one in clear), len(more)


@whole
def test_all_tasks(names):
    """The table and the claims, with half and with a fifth of the ratings observed."""
    said, compare, join = " ".join(PAGE.split()), names["compare"], names["join"]
    half = [compare(task) for task in TASKS]
    for task in ("eng-ces", "eng-zho"):
        assert write_row(task, half[TASKS.index(task)]) in PAGE
    fifth = [compare(task, share=0.4) for task in TASKS]
    assert write_row("all, half observed", join(half)) in PAGE
    assert write_row("all, a fifth observed", join(fifth)) in PAGE
    seen, less = (f"{100 * join(one).tabulate()[0].covered:.1f} %" for one in (half, fifth))
    assert f"cover {seen} with half observed and {less} with a fifth" in said
    clear, strict, of = count_claims(half)
    assert f"in {clear} of {of} comparisons by task the interval excludes 0 ({strict} by" in said
    clear, strict, of = count_claims(fifth)
    assert f"{clear} of {of} comparisons exclude 0 ({strict} by Bonferroni)" in said


@whole
def test_outputs_without_ratings(names):
    errors = names["compare"]("zho-eng", by="item")
    assert write_row("zho-eng, unrated outputs", errors) in PAGE


def test_all_pairs_of_mlqe(names):
    parts = [names["compare_pair"](pair) for pair in PAIRS]
    assert f"{sum(len(one.judge) for one in parts):,} ratings in all" in PAGE
    for row in names["join"](parts).tabulate():
        cells = [row.method, f"{row.mae:.2f}", f"{row.rmse:.2f}"]
        if row.mae_more:
            cells.append(write_more(row.mae_more))
        assert f"| {' | '.join(cells)} |" in PAGE.replace(" |  |", " |")

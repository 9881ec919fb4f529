"""The numbers of docs/papers/cohn_specia2013.md are those that its code prints.

One task of each data set without EVENHAND_WHOLE: a task takes a minute or more.
"""

import re

import pytest

from experiments.campaign import WHOLE
from markdown_pages import ROOT, blocks

PAGE = (ROOT / "docs" / "papers" / "cohn_specia2013.md").read_text(encoding="utf-8")
CODE = [block.code for block in blocks(PAGE) if block.language == "python"]
TASKS = ("eng-ces", "eng-deu", "eng-hrv", "eng-jpn", "eng-zho", "zho-eng")
SHOWN = ("independent", "pooled + means", "ridge")

pytestmark = pytest.mark.slow
whole = pytest.mark.skipif(not WHOLE, reason="EVENHAND_WHOLE is not set: it takes minutes")


def write_row(name, errors, methods=SHOWN):
    by = {one.method: one for one in errors.tabulate()}
    more = [by[method].mae_more for method in methods]
    cells = [f"{one.value:+.2f} ({one.lower:+.2f} to {one.upper:+.2f})" for one in more]
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
        exec(CODE[0], found)
        yield found


def test_one_task_with_half_of_its_ratings(names):
    assert write_row("eng-zho", names["compare"]("eng-zho")) in PAGE


def count_claims(parts):
    """Comparisons whose intervals exclude 0, and those that do so by Bonferroni, of all."""
    more = [one.mae_more for part in parts for one in part.tabulate() if one.mae_more]
    clear = [one for one in more if one.lower > 0]
    return len(clear), sum(one.p < 0.05 / len(more) for one in clear), len(more)


@whole
def test_all_tasks(names):
    """The tables and the claims, with half and with a fifth of the ratings observed."""
    exec(CODE[1], names | {"print": lambda _: None}, found := {**names, "print": lambda _: None})
    said = " ".join(PAGE.split())
    for task, errors in zip(TASKS, found["half"], strict=True):
        assert write_row(task, errors) in PAGE
    for share, parts in (("all", found["half"]), ("all, a fifth observed", found["fifth"])):
        assert write_row(share, names["join"](parts)) in PAGE
    covered = [names["join"](found[one]).tabulate()[0].covered for one in ("half", "fifth")]
    assert (
        "cover {:.1f} % with half observed and {:.1f} % with a fifth".format(
            *(100 * one for one in covered)
        )
        in said
    )
    clear, strict, of = count_claims(found["half"])
    assert f"in {clear} of {of} comparisons by task the interval excludes 0 ({strict} by" in said
    clear, strict, of = count_claims(found["fifth"])
    assert f"{clear} of {of} comparisons exclude 0 ({strict} by Bonferroni)" in said


@whole
def test_outputs_without_ratings(names):
    tasks = re.findall(r"eng-\w+|zho-eng", PAGE.partition('by="item")')[2].partition(".")[0])
    joined = names["join"]([names["compare"](task, by="item") for task in tasks])
    assert write_row("unrated outputs", joined) in PAGE


def test_pairs_of_mlqe(names):
    """All seven pairs together."""
    joined = []
    exec(CODE[-1], {**names, "print": joined.append})
    (table,) = joined
    for row in table:
        cells = [f"{row.mae:.2f}", f"{row.rmse:.2f}"]
        if row.mae_more is not None:
            one = row.mae_more
            cells.append(f"{one.value:+.2f} ({one.lower:+.2f} to {one.upper:+.2f})")
        assert f"| {row.method} | {' | '.join(cells)} |" in PAGE

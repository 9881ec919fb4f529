"""Real files of judgments, with the numbers that their sources state."""

import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read
from read_tables import tally_of


@pytest.fixture(scope="module")
def wmt12(data_folder: Path) -> Path:
    return data_folder / "wmt12_rankings"


def _digests(source, **wishes) -> dict[str, str]:
    tasks = tally_of(source, ("task",), **wishes).split("task")
    return {name: tally.digest for name, tally in tasks.items()}


def test_wmt12_is_the_same_in_three_layouts(wmt12) -> None:
    rnk = _digests(wmt12 / "wmt12.RNK_results.csv")
    assert len(rnk) == 8
    assert rnk == _digests(wmt12 / "rankings.parquet")
    assert rnk == _digests(wmt12 / "original_columns_judges_pseudonymised.parquet")
    # The pairs as somebody else expanded them; there the order of the screen is system_a first.
    assert _digests(wmt12 / "pairwise.parquet") == _digests(wmt12 / "rankings.parquet")


def test_wmt12_has_the_counts_of_its_table_by_task(wmt12: Path) -> None:
    """stats.csv, which counts items and their judges with blank rankings too."""
    with (wmt12 / "stats.csv").open(encoding="utf-8") as file:
        stats = {row["task"]: row for row in csv.DictReader(file)}
    parts = {part.task: part for part in inspect(read(wmt12 / "wmt12.RNK_results.csv")).tasks}
    assert set(parts) == set(stats)
    for task, row in stats.items():
        part = parts[task]
        assert part.rankings == int(row["rankings"])
        assert part.judges == int(row["judges"])
        assert part.systems == int(row["systems"])
        assert part.comparisons == int(row["pairs"])
        assert part.tie_share == pytest.approx(float(row["tie_share"]), abs=5e-4)
        blank = int(row["rankings"]) - part.judgments
        assert 0 <= int(row["items"]) - part.items <= blank
        assert 0 <= int(row["items_2plus_judges"]) - part.shared_items <= blank


def test_published_counts_of_readmes(data_folder) -> None:
    # README.md: 8,931 judgments of 124 workers on 2,139 pairs, 38.9 % ties.
    data = read(data_folder / "llmfao" / "pairwise.parquet", where="source = 'crowd'")
    assert isinstance(data, Comparisons)
    part = inspect(data).total
    assert (part.judgments, part.judges, part.items, part.systems) == (8_931, 124, 2_139, 59)
    assert part.tie_share == pytest.approx(0.389, abs=5e-4)
    # README.md: 1,800 rankings; 16,242 ratings by 83 workers of 100 items and 3 systems.
    folder = data_folder / "rankme_nlg"
    assert inspect(read(folder / "rankings.parquet")).total.rankings == 1_800
    part = inspect(read(folder / "ratings.parquet")).total
    assert (part.judgments, part.judges, part.systems) == (16_242, 83, 3)
    # README.md: 84,445 judgments, 3,815 workers, 16,927 pairs, 1,052 arguments, 22.6 % ties.
    part = inspect(read(data_folder / "ukpconvarg1" / "pairwise.parquet")).total
    assert (part.judgments, part.judges, part.systems) == (84_445, 3_815, 1_052)
    assert part.items == 16_927
    assert part.tie_share == pytest.approx(0.226, abs=5e-4)


@pytest.mark.parametrize("name", ["food", "simple"])
def test_evalica_files_give_evalicas_average_win_rates(
    name: str, data_set: Callable[[str], Path]
) -> None:
    """food-golden.csv and simple-golden.csv: mean over opponents of (wins + ties / 2) / n."""
    folder = data_set("evalica_samples")
    tally = tally_of(folder / f"{name}.csv").fold()
    rates = defaultdict(list)
    for left, right, (win, tie, loss) in zip(tally.left, tally.right, tally.counts, strict=True):
        rates[tally.systems[left]].append((win + tie / 2) / (win + tie + loss))
        rates[tally.systems[right]].append((loss + tie / 2) / (win + tie + loss))
    with (folder / f"{name}-golden.csv").open(encoding="utf-8") as file:
        golden = {
            row["item"]: float(row["score"])
            for row in csv.DictReader(file)
            if row["algorithm"] == "average_win_rate"
        }
    assert {system: sum(r) / len(r) for system, r in rates.items()} == pytest.approx(golden)

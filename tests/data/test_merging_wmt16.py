"""The merged outputs of WMT16, against the expansion that was published with them."""

import pandas as pd

from evenhand.formats.reading import read
from read_tables import cells_of


def test_wmt16_gives_the_published_expansion_without_the_ties_inside_outputs(data_folder):
    """pairwise_expanded.parquet holds every pair of systems, those of one output as ties."""
    folder = data_folder / "wmt16_rankings"
    pairs = pd.read_parquet(folder / "pairwise_expanded.parquet")
    shown = pd.read_parquet(folder / "rankings_collapsed.parquet")
    shown["one"] = shown["system"].str.split("+")
    shown = shown.explode("one")[["task", "ranking_id", "one", "system"]]
    for side in ("system_a", "system_b"):
        own = shown.rename(columns={"one": side, "system": f"output_{side}"})
        pairs = pairs.merge(own, on=["task", "ranking_id", side], validate="many_to_one")
    inside = pairs["output_system_a"] == pairs["output_system_b"]
    assert (pairs["outcome"][inside] == "tie").all()
    assert inside.any()
    pairs = pairs[~inside]
    counted = pairs.groupby(["task", "system_a", "system_b", "outcome"]).size()
    expected: dict[tuple[str, str, str], list[int]] = {}
    for (task, first, second, outcome), n in counted.items():
        turned = first > second
        key = (task, second, first) if turned else (task, first, second)
        place = {"a": 0, "tie": 1, "b": 2}[outcome]
        expected.setdefault(key, [0, 0, 0])[2 - place if turned else place] += n

    data = read(folder / "rankings_collapsed.parquet", system_separator="+").comparisons()
    tasks = data.tally(["task"]).split("task")
    found = {
        (task, *pair): list(counts)
        for task, tally in tasks.items()
        for pair, counts in cells_of(tally.fold()).items()
    }
    assert found == expected

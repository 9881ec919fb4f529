"""`rank --pair A,B` and `rank --win-rates`."""

import csv
import io

import pytest


@pytest.fixture
def votes(folder):
    """Votes in two languages; system "x, y" is judged in one of them alone."""
    counts = {
        "de": [("A", "B", 30, 20), ("B", "C", 25, 15), ("A", "C", 30, 10)],
        "fr": [("A", "B", 22, 20), ("B", "x, y", 25, 15), ("A", "x, y", 30, 10)],
    }
    rows = [
        (left, right, outcome, lang)
        for lang, pairs in counts.items()
        for left, right, *numbers in pairs
        for outcome, n in zip(("left", "right"), numbers, strict=True)
        for _ in range(n)
    ]
    with (folder / "votes.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("left", "right", "outcome", "lang"), *rows])
    return "votes.csv"


def test_it_says_who_is_better_and_what_is_still_needed(evenhand, votes):
    where = ("--where", "lang = 'de'")
    contract = evenhand("rank", votes, *where, "--pair", "A,B", "--json").json
    assert (contract["first"], contract["second"], contract["better"]) == ("A", "B", None)
    assert (contract["wins"], contract["ties"], contract["losses"]) == (30, 0, 20)
    assert contract["excluded"][0]["code"] == "where"
    said = " ".join(evenhand("rank", votes, *where, "--pair", "A,B").out.split())
    more = float(f"{contract['judgments_needed']:.1e}")
    assert f"judgments needed, all systems about {more:,.0f} more" in said
    share = [f"{100 * contract[key]:.0f} %" for key in ("win", "win_lower", "win_upper")]
    assert f"wins of A {share[0]} {share[1].removesuffix(' %')} to {share[2]}" in said
    assert "intervals hold for all pairs of systems at once" in said
    better = evenhand("rank", votes, *where, "--pair", "C, A", "--csv").out
    (row,) = csv.DictReader(io.StringIO(better))
    assert (row["first"], row["better"], row["compared"]) == ("C", "A", "40")


def test_rates_of_all_pairs_are_a_table_and_rows(evenhand, votes):
    rows = [*csv.DictReader(io.StringIO(evenhand("rank", votes, "--win-rates", "--csv").out))]
    assert [*rows[0]] == ["first", "second", "win", "tie"]
    assert len(rows) == 12
    table = evenhand("rank", votes, "--win-rates", "--markdown").out
    assert "| system | A | B |" in table
    assert "Predicted by Bradley-Terry" in table
    assert "\\toprule" in evenhand("rank", votes, "--win-rates", "--latex").out


def test_of_ratings_the_pair_is_points_apart(evenhand, folder):
    """Each judge scores each output: the difference is that of the means."""
    scores = {"A": (80, 84, 90, 86), "B": (70, 78, 75, 77), "C": (69, 75, 79, 73)}
    rows = [
        (f"j{judge}", f"i{item}", system, values[item] + judge % 3)
        for judge in range(12)
        for item in range(4)
        for system, values in scores.items()
    ]
    with (folder / "scores.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("judge", "item", "system", "score"), *rows])
    found = evenhand("rank", "scores.csv", "--pair", "B,A", "--interval", "model", "--json").json
    assert found["difference"] == pytest.approx((300 - 340) / 4)
    (row,) = (
        one
        for one in evenhand("rank", "scores.csv", "--interval", "model", "--json").json["pairs"]
        if (one["first"], one["second"]) == ("A", "B")
    )
    assert (found["lower"], found["upper"]) == (-row["upper"], -row["lower"])
    assert (found["win"], found["compared"], found["scale"]) == (None, None, "score")
    said = evenhand("rank", "scores.csv", "--pair", "B,A", "--interval", "model").out
    assert "B has -10.00 points (" in " ".join(said.split())
    assert "wins" not in said
    text = (folder / "scores.csv").read_text(encoding="utf-8")
    (folder / "refs.csv").write_text(text.replace(",C,", ",refA,"), encoding="utf-8")
    refused = " ".join(evenhand("rank", "refs.csv", "--pair", "refA,B", code=2).err.split())
    assert "refA is a human reference by its name and has no rank" in refused
    words = ("rank", "refs.csv", "--pair", "refA,B", "--rank-references", "--interval", "model")
    assert evenhand(*words, "--json").json["difference"] == pytest.approx((296 - 300) / 4)
    refused = evenhand("rank", "scores.csv", "--win-rates", code=2).err
    assert "scores predict no preferences" in refused

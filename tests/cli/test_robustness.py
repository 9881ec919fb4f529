"""`evenhand robustness`."""

import csv
import random

import pytest


@pytest.fixture
def votes(tmp_path):
    rng = random.Random(3)
    worth = {"lark": 0.9, "opus": 0.5, "wren": -0.6}
    file = tmp_path / "votes.csv"
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["judge", "item", "left", "right", "outcome"])
        for i in range(700):
            left, right = rng.sample(sorted(worth), 2)
            won = rng.random() < 1 / (1 + 2.718 ** (worth[right] - worth[left]))
            outcome = "tie" if rng.random() < 0.1 else "left" if won else "right"
            rows.writerow([f"j{rng.randrange(9)}", f"q{i % 30}", left, right, outcome])
    return str(file)


@pytest.mark.parametrize(
    ("option", "signed", "other"),
    [
        (["--order-effect"], "order effect", "no advantage of the first output"),
        (["--cluster", "judge"], "by judge,", "clustered by judge and item"),
    ],
)
def test_the_ranking_that_rank_makes_is_doubted(evenhand, votes, option, signed, other):
    found = evenhand("robustness", votes, *option, "--json").json
    ranked = evenhand("rank", votes, *option, "--json").json
    first, *others = found["sensitivity"]["choices"]
    assert first["name"] == "as asked"
    assert first["decided"] == ranked["rank_sets"]["decided"]
    assert found["signature"] == ranked["signature"]
    assert signed in found["signature"]
    assert other in [one["name"] for one in others]

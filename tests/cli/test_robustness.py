"""`evenhand robustness`."""

import csv
import random
import re
from pathlib import Path

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


def test_who_and_what_carries_a_conclusion_is_listed(evenhand, votes):
    flips = evenhand("robustness", votes, "--json").json["fragility"]["flips"]
    lines = evenhand("robustness", votes).out.splitlines()
    rows = [line for line in lines if line.startswith(" lark is first ")]
    votes_taken, judges, items = flips[:3]
    by_pair = {}
    for one in votes_taken["removed"]:
        pair = f"{one['better']} over {one['worse']}"
        by_pair[pair] = by_pair.get(pair, 0) + int(one["count"])
        assert (one["judge"], one["item"]) == (None, None)
    most = max(by_pair, key=by_pair.get)
    with Path(votes).open(newline="") as file:
        better, worse = most.split(" over ")
        sides = {("left", better, worse), ("right", worse, better)}
        given = [(row["outcome"], row["left"], row["right"]) for row in csv.DictReader(file)]
    of = sum(vote in sides for vote in given)
    assert f" any {by_pair[most]} of {str(of)[:2]}" in rows[0]
    assert re.search(rf" judges +reversed +{judges['removed'][0]['judge']}", rows[1])
    assert re.search(rf" items +reversed +{items['removed'][0]['item']}", rows[2])


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


def test_a_preference_for_one_side_is_said_and_makes_no_cycles(evenhand, tmp_path):
    rng = random.Random(2)
    file = tmp_path / "circle.csv"
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["judge", "left", "right", "outcome"])
        for i in range(1600):
            pair = rng.choice(["ab", "bc", "ca", "ad", "db", "cd"])
            outcome = "left" if rng.random() < 0.65 else "right"
            rows.writerow([f"j{i % 16}", *pair, outcome])
    found = evenhand("robustness", str(file), "--json").json
    assert (found["cycles"]["order_effect"], found["cycles"]["real"]) == (True, False)
    assert any("Sides were not randomised" in one["text"] for one in found["findings"])
    asked = evenhand("robustness", str(file), "--order-effect", "--json").json
    assert (asked["cycles"]["order_effect"], asked["cycles"]["real"]) == (True, False)

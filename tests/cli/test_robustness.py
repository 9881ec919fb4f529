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


def test_three_answers_stand_below_each_other(evenhand, votes):
    out = evenhand("robustness", votes).out
    titles = [out.index(word) for word in ("How few carry it?", "Under other choices", "says ")]
    assert titles == sorted(titles)
    assert "lark is first" in out
    assert "no sign of cycles" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_who_and_what_carries_a_conclusion_is_listed(evenhand, votes):
    flips = evenhand("robustness", votes, "--json").json["fragility"]["flips"]
    lines = evenhand("robustness", votes).out.splitlines()
    at = lines.index(" lark is first (reversed):")
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
        rows = [(row["outcome"], row["left"], row["right"]) for row in csv.DictReader(file)]
    of = sum(row in sides for row in rows)
    assert lines[at + 1].startswith(f"   votes    any {by_pair[most]} of {of} {most}")
    below = "\n".join(lines[at + 1 : at + 7])
    assert f"judges   {judges['removed'][0]['judge']}" in below
    assert f"items    {items['removed'][0]['item']}" in below


def test_fragility_is_said_and_its_table_explained(evenhand, votes):
    said = evenhand("robustness", votes).out
    found = evenhand("robustness", votes, "--json").json
    few = {one["unit"]: one for one in found["fragility"]["flips"][:3]}
    assert found["says"][0].startswith(
        f"lark is first: without {few['vote']['fewest']} of 700 votes"
    )
    assert found["says"][0] in " ".join(said.split())
    assert "reversed: without so many, or fewer others, another system is ahead" in said


def test_a_long_conclusion_leaves_the_table_within_the_terminal(evenhand, tmp_path):
    rng = random.Random(1)
    file = tmp_path / "long.csv"
    names = [f"a-very-long-name-of-a-system-{k}" for k in range(3)]
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["judge", "item", "left", "right", "outcome"])
        for i in range(3000):
            one, two = sorted(rng.sample(range(3), 2))
            outcome = "left" if rng.random() < 0.75 else "right"
            rows.writerow([f"j{i % 20}", f"q{i // 20}", names[one], names[two], outcome])
    out = evenhand("robustness", str(file), "--cluster", "judge", "--pair", *names[:2]).out
    first = re.search(r"not by [\d,]+ of [\d,]+", out)
    assert f"{first[0]}: it stands without all" in " ".join(out.split())
    assert f"{names[0]} is ahead of {names[1]}" in " ".join(out.split())
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize(
    ("option", "signed", "other"),
    [
        (["--ties", "discard"], "| discard |", "ties by Davidson"),
        (["--order-effect"], "order effect", "no advantage of the first output"),
        (["--judge-cap", "median"], "judge cap median", "busy judges count in full"),
        (["--per", "judge"], "mix per judge", "judgments as they come"),
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


def test_choices_that_change_nothing_share_a_line(evenhand, votes):
    out = evenhand("robustness", votes).out
    found = evenhand("robustness", votes, "--json").json["sensitivity"]["choices"]
    usual, *others = found
    same = [
        one["name"]
        for one in others
        if (one["systems"], one["decided"]) == (usual["systems"], usual["decided"])
    ]
    assert f"nothing changes under: {', '.join(same)}" in " ".join(out.split())


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
    assert any("Sides were not randomised" in note for note in found["notes"])
    asked = evenhand("robustness", str(file), "--order-effect", "--json").json
    assert (asked["cycles"]["order_effect"], asked["cycles"]["real"]) == (True, False)


def test_json_has_the_three_parts(evenhand, votes):
    found = evenhand("robustness", votes, "--json").json
    assert {"fragility", "sensitivity", "cycles", "says", "notes", "signature"} <= set(found)
    flip = found["fragility"]["flips"][0]
    assert sum(one["count"] for one in flip["removed"]) == flip["fewest"]
    assert found["sensitivity"]["choices"][0]["name"] == "default"
    assert found["cycles"]["df"] == 1


def test_csv_has_a_row_for_each_conclusion_and_unit(evenhand, votes):
    out = evenhand("robustness", votes, "--pair", "lark", "wren", "--csv").out
    rows = list(csv.DictReader(out.splitlines()))
    assert {row["claim"] for row in rows} == {"lark is ahead of wren"}
    assert [row["unit"] for row in rows[:3]] == ["vote", "judge", "item"]


def test_latex_has_the_choices(evenhand, votes):
    out = evenhand("robustness", votes, "--latex").out
    assert r"ties left out & lark" in out


def test_a_pair_the_other_way_round_is_refused(evenhand, votes):
    ran = evenhand("robustness", votes, "--pair", "wren", "lark", code=2)
    assert "ask about lark ahead of wren" in ran.err


def late_votes(path, saw):
    """Seven judges, of whom a few alone saw the leader."""
    rng = random.Random(5)
    worth = {"lark": 0.9, "opus": 0.5, "wren": -0.2, "fjord": 2.0}
    with path.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["judge", "left", "right", "outcome"])
        for i in range(700):
            left, right = rng.sample(["lark", "opus", "wren"], 2)
            left = "fjord" if i % 7 < saw and rng.random() < 0.4 else left
            won = rng.random() < 1 / (1 + 2.718 ** (worth[right] - worth[left]))
            rows.writerow([f"j{i % 7}", left, right, "left" if won else "right"])
    return str(path)


@pytest.mark.parametrize("saw", [1, 2])
def test_the_few_judges_who_saw_the_leader_carry_it(evenhand, tmp_path, saw):
    file = late_votes(tmp_path / "late.csv", saw)
    out = evenhand("robustness", file).out
    said = " ".join(out.split())
    assert re.search(rf"fjord is first +reversed +\d+ of 700 +{saw} of 7", out)
    assert f"without {saw} of 7 judges nothing is left of fjord" in said
    assert "another system is ahead, or nothing ranked" in said
    rest = "one judge alone" if saw == 1 else "fewer than 5 effective judges"
    assert f"note fjord is first: all of its 3 pairs rest on {rest} and stay open" in said
    votes, judges = evenhand("robustness", file, "--json").json["fragility"]["flips"][:2]
    assert (votes["ahead"], votes["behind"], votes["gone"]) == ("lark", "fjord", [])
    named = [one["judge"] for one in judges["removed"]]
    assert sorted(named) == [f"j{k}" for k in range(saw)]
    assert f"judges {', '.join(named)}" in said
    assert (judges["ahead"], judges["left"], judges["gone"]) == (None, "no ranking", ["fjord"])
    assert "votes lark is ahead" in said

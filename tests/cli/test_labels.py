"""`evenhand labels`."""

from pathlib import Path

import numpy as np
import pytest

PAIRS = "judge,item,left,right,outcome"


def votes(seed: int = 1, *, items: int = 40, prefix: str = "i") -> list[str]:
    """Six judges on pairs of outputs, two of whom take the left whatever it is."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(items):
        better = "x" if rng.random() < 0.6 else "y"
        for judge in range(6):
            left, right = ("x", "y") if rng.random() < 0.5 else ("y", "x")
            right_answer = "left" if left == better else "right"
            wrong = "tie" if rng.random() < 0.5 else rng.choice(["left", "right"])
            said = right_answer if rng.random() < 0.85 else wrong
            said = "left" if judge > 3 else said
            rows.append(f"j{judge},{prefix}{i:02d},{left},{right},{said}")
    return rows


def write(rows: list[str], name: str = "votes.csv", header: str = PAIRS) -> str:
    Path(name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return name


def flat(text: str) -> str:
    return " ".join(text.split())


def test_it_says_what_was_found_and_shows_the_least_certain_units_and_judges(evenhand, folder):
    ran = evenhand("labels", write(votes()))
    text = flat(ran.out)
    assert "240 answers of 6 judges to 40 pairs of outputs, 6 each" in text
    assert text.startswith("40 of 40 pairs of outputs have a label")
    assert "that other models give too: dawid-skene" in text
    shown = [line for line in ran.out.splitlines() if line.startswith(" i")][1:]
    probable = [float(line.split()[-2]) for line in shown]
    assert len(probable) == 10
    assert probable == sorted(probable)
    judges = [line.split()[0] for line in ran.out.splitlines() if line.startswith(" j")]
    assert {"j4", "j5"} == set(judges[1:3])
    assert max(len(line) for line in ran.out.splitlines()) <= 80


def test_ratings_are_labelled_by_their_scores(evenhand, folder):
    rows = [
        f"j{j},i{i},s,{1 + (i + (j == 2 and i % 5 == 0)) % 3}" for i in range(30) for j in range(4)
    ]
    name = write(rows, "ratings.csv", "judge,item,system,score")
    text = evenhand("labels", name, "--model", "dawid-skene").out
    assert "to 30 outputs, 4 each" in text
    assert "Labels: 1: 33 %, 2: 33 %, 3: 33 %." in flat(text)
    assert "Accuracy of judges: median" in text


def test_a_group_that_tells_nothing_is_named(evenhand, folder):
    rows = [f"{row},here" for row in votes()] + [
        "j0,lone,x,y,left,there",
        "j0,lone,x,y,right,there",
    ]
    ran = evenhand("labels", write(rows, header=f"{PAIRS},place"), "--group-by", "place")
    assert "error  only j0 answered" in ran.out


def test_the_threshold_withholds_the_least_certain(evenhand, folder):
    found = evenhand("labels", write(votes()), "--threshold", ".5", "--json").json
    without = [one["entropy"] for one in found["units"] if one["label"] is None]
    kept = [one["entropy"] for one in found["units"] if one["label"] is not None]
    assert 0 < len(without) < 20
    assert max(kept) < min(without)
    said = f"the labels of the {len(without)} least certain units are withheld"
    assert any(said in one["text"] for one in found["findings"])


@pytest.mark.parametrize(
    "case",
    [
        (PAIRS, ["j1,i1,x,y,left", "j1,i2,x,y,right"], (), "only j1 answered"),
        (PAIRS, ["j1,i1,x,y,left", "j2,i2,x,y,right"], (), "no unit was answered by two judges"),
        ("item,left,right,outcome", ["i1,x,y,left"], (), "names no judges"),
        ("judge,left,right,outcome", ["j1,x,y,left"], (), "names no items"),
        (PAIRS, ["j1,i1,x,y,left", "j2,i1,x,y,left"], ("--threshold", "2"), "is no share"),
        (PAIRS, ["j1,i1,x,y,left"], ("--model", "mase"), "Did you mean 'mace'"),
    ],
)
def test_refusals_are_one_line(evenhand, folder, case):
    header, rows, words, why = case
    ran = evenhand("labels", write(rows, header=header), *words, code=2)
    assert why in flat(ran.err)
    assert ran.err.startswith("error")
    assert "Traceback" not in ran.err


def test_a_fine_scale_is_refused(evenhand, folder):
    rows = [f"j{j},i{i},s,{i + j}" for i in range(40) for j in range(2)]
    ran = evenhand("labels", write(rows, "r.csv", "judge,item,system,score"), code=2)
    assert "41 different scores" in ran.err


def test_the_shares_of_labels_and_of_none_sum_to_all(evenhand, folder):
    even = [f"j{j},k{i},x,y,{'left' if j % 2 else 'right'}" for i in range(10) for j in range(6)]
    text = flat(evenhand("labels", write([*votes(), *even]), "--model", "majority").out)
    said = text.split("Labels: ")[1].split(". Agreement")[0]
    shares = [float(word) for word in said.replace(",", "").split() if word[0].isdigit()]
    assert len(shares) == 3
    assert sum(shares) == pytest.approx(100, abs=1.5)

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


def test_the_shares_of_labels_and_of_none_sum_to_all(evenhand, folder):
    even = [f"j{j},k{i},x,y,{'left' if j % 2 else 'right'}" for i in range(10) for j in range(6)]
    text = flat(evenhand("labels", write([*votes(), *even]), "--model", "majority").out)
    said = text.split("Labels: ")[1].split(". Agreement")[0]
    shares = [float(word) for word in said.replace(",", "").split() if word[0].isdigit()]
    assert len(shares) == 3
    assert sum(shares) == pytest.approx(100, abs=1.5)

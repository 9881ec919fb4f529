"""`evenhand next` on ratings."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def scores(folder):
    """Fifty outputs of which thirty have a rating; it falls with the number of words."""
    rng = np.random.default_rng(1)
    rows = [("judge", "item", "system", "score", "words", "domain", "text")]
    for i in range(50):
        words = int(rng.integers(3, 20))
        text = " ".join(rng.choice(["so", "it", "goes"], words))
        score = round(80 - 2 * words + rng.normal(0, 3)) if i < 30 else ""
        rows.append(("ann", f"i{i:02d}", "mt", score, words, "news" if i % 2 else "chat", text))
    with Path("scores.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return "scores.csv"


def test_savings_stand_below_the_outputs_in_words_and_as_a_table(evenhand, scores):
    asked = ("next", scores, "--feature", "words", "--savings", "--replays", "2")
    curves = json.loads(evenhand(*asked, "--json").out)["savings"]
    text = evenhand(*asked).out
    words = " ".join(text.split())
    assert words.index("20 without") < words.index("Mean absolute error on test outputs")
    assert all(" ".join(said.split()) in words for said in curves["says"])
    rows = [
        line.split() for line in text.splitlines() if line.split()[1:] and line.strip()[0].isdigit()
    ]
    last = [point["mae"] for point in curves["points"] if point["labels"] == curves["pool"]]
    assert [str(curves["pool"]), *(f"{error:.3g}" for error in last)] in rows


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name what is known of outputs"),
        (("--feature", "wrods"), "Did you mean 'words'"),
        (("--feature", "words", "--top-k", "3"), "--top-k is for comparisons"),
        (("--feature", "words", "--policy", "voi"), "--policy voi is for comparisons"),
        (("--feature", "words", "--where", "score is not null"), "every output has a rating"),
        (("--feature", "words", "--policy", "random", "--savings"), "choose another policy"),
    ],
)
def test_what_cannot_be_is_refused(evenhand, scores, words, said):
    ran = evenhand("next", scores, *words, code=2)
    assert said in " ".join(ran.err.split())

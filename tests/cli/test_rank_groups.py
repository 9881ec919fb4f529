"""Several groups are also shown side by side: systems × groups."""

import csv
from itertools import combinations
from random import Random

import pytest

import evenhand as package

WORTHS = {"de": "ABC", "fr": "CAB", "it": "AB"}


@pytest.fixture
def votes(folder):
    """Votes in three languages, the better first in each word; C is not judged in Italian."""
    draw, rows = Random(2), []
    for lang, order in WORTHS.items():
        for judge in range(12):
            for one, other in combinations(order, 2):
                left, right = (one, other) if draw.random() < 0.5 else (other, one)
                better = "left" if left == one else "right"
                worse = {"left": "right", "right": "left"}[better]
                rows += [(f"j{judge}", left, right, better)] * 2 + [
                    (f"j{judge}", left, right, worse)
                ]
                rows[-3:] = [(*row, lang) for row in rows[-3:]]
    rows += [("j0", "A", "B", "left", "pt")]
    with (folder / "votes.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("judge", "left", "right", "outcome", "lang"), *rows])
    return "votes.csv"


def test_python_and_notebooks_have_the_table(votes):
    grouped = package.rank(package.read(votes), group_by="lang")
    (table,) = grouped.document().tables
    assert [column.title for column in table.columns] == ["system", "de", "fr", "it"]
    assert grouped.to_dict()["side_by_side"][0]["group"] == "de"
    assert grouped._repr_html_().count("<table") == 4


@pytest.mark.parametrize("form", [[], ["--markdown"], ["--latex"]])
def test_what_is_true_of_each_group_is_said_once(form, evenhand, folder):
    draw = Random(4)
    lines = [
        f"j{j},{lang}-{i},{system},{draw.randint(1, 5)},{lang},{'control' * (i == 9)}"
        for lang in ("de", "fr", "es")
        for j in range(7)
        for i in range(10)
        for system in "ABC"
    ]
    text = "\n".join(["judge,item,system,score,lang,kind", *lines])
    (folder / "langs.csv").write_text(text, encoding="utf-8")
    said = evenhand("rank", "langs.csv", "--group-by", "lang", *form).out
    assert said.count("63 controls excluded") == 1
    assert said.index("all groups") < said.index("63 controls excluded")

"""Metrics in a report: the numbers of `evenhand metrics`, and no section without."""

import csv

import numpy as np
import pytest

import evenhand
from evenhand.report import assemble
from evenhand.report.assemble import make_report
from rated_studies import make_rows

WORTH = {f"s{k}": 0.5 * k for k in range(7)}


def make(*, columns=True, criteria=("fluency",), against=False):
    """Return rows of judges, and scores of three metrics beside or apart from them."""
    rng = np.random.default_rng(4)
    rows = make_rows(judges=4, items=12, criteria=criteria, worth=WORTH)
    scores = []
    for item in sorted({row["item"] for row in rows}):
        for system, worth in WORTH.items():
            sign = -1 if against else 1
            noise = rng.normal(size=3)
            scores.append(
                {
                    "item": item,
                    "system": system,
                    "comet": round(sign * worth + 0.3 * noise[0], 3),
                    "chrf": round(sign * worth + 2.0 * noise[1], 3),
                    "ter": round(60 - 3 * sign * worth + 5 * noise[2], 3),
                }
            )
    if columns:
        beside = {(one["item"], one["system"]): one for one in scores}
        rows = [{**row, **beside[row["item"], row["system"]]} for row in rows]
    return rows, scores


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def find_section(report):
    return next((one for one in report.parts[0].sections if one.name == "metrics"), None)


@pytest.mark.parametrize("beside", [True, False], ids=["columns", "a file of scores"])
def test_the_section_has_the_numbers_and_the_words_of_the_verb(evenhand, tmp_path, beside):
    rows, scores = make(columns=beside)
    path = write(tmp_path / "da.csv", rows)
    others = [] if beside else [write(tmp_path / "scores.csv", scores)]
    words = [one for other in others for one in ("--metrics", other)]
    report = evenhand("report", path, *words, "--seed", "5", "--sections", "metrics", "--json").json
    (section,) = report["parts"][0]["sections"]
    verb = evenhand("metrics", path, *others, "--seed", "5", "--json").json
    metrics, pairs = section["tables"]
    assert metrics["rows"] == verb["metrics"]
    assert metrics["rows"][-1]["metric"] == "people"
    assert pairs["rows"] == verb["pairs"]
    text = " ".join(evenhand("metrics", path, *others, "--seed", "5").out.split())
    assert all(said in text for said in section["says"])
    assert section["command"].split() == ["evenhand", "metrics", path, *others, "--seed", "5"]
    assert evenhand(*section["command"].split()[1:], "--json").json == verb
    assert [one["name"] for one in section["figures"]] == ["systems", "pairs", "distance"]


def test_judgments_without_metrics_have_no_section_and_compare_nothing(monkeypatch):
    rows, _ = make(columns=False)

    def refuse(*_):
        raise AssertionError

    monkeypatch.setitem(assemble.WRITERS, "metrics", refuse)
    report = make_report(evenhand.read(rows), sections=())
    assert find_section(report) is None
    with pytest.raises(evenhand.UnknownOption, match=r"no columns of metrics: .*--metrics FILE"):
        make_report(evenhand.read(rows), sections=["metrics"])

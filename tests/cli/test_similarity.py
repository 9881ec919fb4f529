"""`evenhand similarity`."""

import csv
import io
import math
import random
from pathlib import Path

import pytest

CAMPS = {"Ann": (6, 9, 0), "Ben": (-6, 9, 0), "Cy": (0, 9, 0), "Di": (2, 0, 9), "Eli": (-2, 0, 9)}
"""Judge → how lenient, how much each of two qualities counts."""


def write(name: str, judges=CAMPS, items: int = 20) -> str:
    draw = random.Random(5)
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        sheet = csv.writer(file)
        sheet.writerow(["judge", "item", "system", "score", "words", "domain"])
        for item in range(items):
            one, other = math.sin(5 * item), math.cos(11 * item + 1)
            for judge, (lenient, first, second) in judges.items():
                said = 60 + lenient + first * one + second * other + draw.gauss(0, 1)
                domain = "news" if item % 2 else "chat"
                sheet.writerow([judge, f"i{item:02d}", "alpha", f"{said:.1f}", item % 7, domain])
    return name


@pytest.fixture
def rated(folder) -> str:
    return write("scores.csv")


@pytest.fixture
def many(folder) -> str:
    judges = {f"judge-{at:02d}": (at, 9 - at, at) for at in range(14)}
    return write("many.csv", judges, items=8)


def test_it_finds_the_camps_and_who_is_lenient(evenhand, rated):
    """Ann, Ben and Cy weigh one quality, Di and Eli another; Ann gives 12 points more than Ben."""
    found = evenhand("similarity", rated, "--rank", "2", "--json").json
    alike = {frozenset((one["judge"], one["other"])): one for one in found["similarity"]}
    for pair in (("Ann", "Ben"), ("Ann", "Cy"), ("Ben", "Cy"), ("Di", "Eli")):
        one = alike[frozenset(pair)]
        assert one["known"]
        assert one["correlation"] > 0.8
    assert alike[frozenset(("Ann", "Di"))]["correlation"] < 0.5
    lenient = {one["judge"]: one["leniency"] for one in found["judges"]}
    assert lenient["Ann"] - lenient["Ben"] == pytest.approx(12, abs=1.5)
    order = [one["judge"] for one in found["judges"]]
    assert {*order[:2]} == {"Di", "Eli"} or {*order[3:]} == {"Di", "Eli"}


def test_with_many_judges_only_the_ends_are_printed_and_csv_has_every_pair(evenhand, many):
    ran = evenhand("similarity", many)
    assert "most alike" in ran.out
    rows = list(csv.DictReader(io.StringIO(evenhand("similarity", many, "--csv").out)))
    pairs = [row for row in rows if row["what"] == "correlation"]
    assert len({frozenset((row["name"], row["other"])) for row in pairs}) == 14 * 13 / 2
    assert {row["what"] for row in rows} >= {"leniency", "private_and_noise", "feature"}


def test_against_says_beside_what_it_predicts_better(evenhand, rated, folder):
    words = ("--baselines", "--splits", "1", "--figures", "drawn", "--figures-as", "svg")
    ran = evenhand("similarity", rated, *words)
    for method in ("multi-task", "independent", "pooled", "ridge", "judge mean"):
        assert f"\n {method} " in ran.out
    assert "Predictions of held-out ratings are" in ran.out
    assert (folder / "drawn" / "alike.svg").exists()
    assert "booktabs" in evenhand("similarity", rated, "--latex").out

"""Each against each: counts by hand, and decided pairs."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from evenhand.report.analysis import Analysis
from evenhand.report.document import Section
from evenhand.report.sections.systems import write_section_heads as write_section
from studied_judges import open_votes

Row = tuple[str, str, str]


def study(rows: list[Row]) -> Analysis:
    return open_votes(rows)


def votes(wins: int, losses: int) -> list[Row]:
    """Return votes in which each of four systems beats each that comes after it."""
    pairs = list(combinations("abcd", 2))
    rows = [(one, two, "left") for one, two in pairs for _ in range(wins)]
    rows += [(two, one, "left") for one, two in pairs for _ in range(losses)]
    return rows + [("a", "b", "tie")] * 4


def squares(section: Section) -> dict[tuple[str, str], dict[str, object]]:
    (figure,) = section.figures
    return {(row["first"], row["second"]): dict(row) for row in figure.datasets["rows"]}


def test_a_square_holds_the_counts_of_its_pair_from_both_sides() -> None:
    found = squares(write_section(study(votes(30, 10))))
    assert len(found) == 12
    one, other = found["a", "b"], found["b", "a"]
    assert (one["wins"], one["ties"], one["losses"]) == (30, 4, 10)
    assert (other["wins"], other["ties"], other["losses"]) == (10, 4, 30)
    assert one["share"] == pytest.approx(32 / 44)
    assert one["expected"] + other["expected"] == pytest.approx(1.0)  # type: ignore[operator]


def test_decided_pairs_are_those_of_the_ranking_and_are_counted() -> None:
    known = study(votes(30, 10))
    section = write_section(known)
    sets = known.ranking.rank_sets
    assert sets is not None
    place = {name: at for at, name in enumerate(known.ranking.systems)}
    for (one, two), row in squares(section).items():
        assert row["decided"] == bool(sets.decided[place[one], place[two]])
    decided = sum(bool(row["decided"]) for row in squares(section).values()) // 2
    assert section.says[0].startswith(f"Decided pairs: {decided} of 6 (")
    assert decided > 0


def test_of_more_than_sixty_systems_the_best_forty_are_drawn_and_that_is_said() -> None:
    names = [f"s{at:02d}" for at in range(61)]
    rows = [
        row
        for one, two in pairwise(names)
        for row in ((one, two, "left"), (one, two, "left"), (two, one, "left"))
    ]
    section = write_section(study(rows))
    (figure,) = section.figures
    assert figure.title.endswith("the best 40 of 61 systems")
    assert figure.wide
    assert max(row["against"] for row in figure.datasets["rows"]) == 40

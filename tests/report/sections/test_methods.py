"""The methods paragraph says what was done, and cites what it names."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

import evenhand
from evenhand import BradleyTerry
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.document import Section
from evenhand.report.methods import (
    name_reference,
    read_references,
    write_bibliography,
    write_section_methods,
)
from rated_studies import make_rows as make_scores
from rated_studies import study as rated


def texts(section: Section) -> dict[str, str]:
    return {block.name: block.text for block in section.blocks}


def cited(text: str) -> set[str]:
    inside = re.findall(r"\(([^()]*\d{4}[^()]*)\)", text)
    return {one for group in inside for one in group.split("; ")}


def test_an_entry_of_bibtex_closes_its_braces() -> None:
    text = write_bibliography(read_references())
    assert text.count("{") == text.count("}")
    assert len(re.findall(r"^@", text, flags=re.MULTILINE)) == len(read_references())


def say(frame: pl.DataFrame, **settings: object) -> str:
    return texts(write_section_methods(Analysis(evenhand.read(frame), Settings(**settings))))[
        "methods.txt"
    ]  # type: ignore[arg-type]


def votes(judges: int, *, systems: str = "ABC", ties: float = 0.1, n: int = 600) -> pl.DataFrame:
    draw = np.random.default_rng(5)
    rows = []
    for k in range(n):
        one, two = draw.choice(list(systems), 2, replace=False).tolist()
        won = "left" if (one < two) == (draw.random() < 0.75) else "right"
        tied = draw.random() < ties
        rows.append((one, two, "tie" if tied else won, f"j{k % judges}", f"i{k % 37}"))
    return pl.DataFrame(rows, schema=["left", "right", "outcome", "judge", "item"], orient="row")


def test_the_bibliography_holds_what_the_paragraph_cites_and_nothing_else() -> None:
    for frame in (votes(20), votes(20).drop("judge", "item")):
        found = texts(write_section_methods(Analysis(evenhand.read(frame))))
        entries = set(re.findall(r"^@\w+\{([\w-]+),", found["references.bib"], flags=re.MULTILINE))
        assert {name_reference(key) for key in entries} == cited(found["methods.txt"])
        named = "judge" in frame.columns
        assert ("clustered by judge" in found["methods.txt"]) == named
        assert ("screened" in found["methods.txt"]) == named


def test_ties_that_are_excluded_are_said_to_be() -> None:
    settings = Settings(model=BradleyTerry(ties="discard"))
    found = texts(write_section_methods(Analysis(evenhand.read(votes(20)), settings)))
    assert "ties, which are excluded" in found["methods.txt"]
    assert "davidson-1970" not in found["references.bib"]


def test_a_prior_is_said_with_its_size_and_that_confidence_ignores_it() -> None:
    text = say(votes(20), model=BradleyTerry(prior=5))
    assert "every system also met an imaginary one in 5 comparisons, half of them won" in text
    assert "stated confidence does not allow for this" in text
    assert "groups that were never compared" not in text
    assert "prior" not in say(votes(20))


def test_groups_that_only_a_prior_joins_are_said_to_be_no_finding() -> None:
    frame = votes(20, systems="ABCD")
    apart = frame.filter(pl.col("left").is_in(["A", "B"]) == pl.col("right").is_in(["A", "B"]))
    text = say(apart, model=BradleyTerry(prior=1))
    assert "The systems fall into 2 groups that were never compared" in text
    assert re.search(r"Of 6 pairs [456] were left open whatever the answers", text)


def test_a_screening_that_abstains_claims_no_rate() -> None:
    text = say(votes(6))
    assert "nobody was called careless or reversed, since 6 judges are too few" in text
    assert "honest judges if most" not in text


def test_other_methods_are_named_where_the_report_has_them() -> None:
    text = say(votes(20))
    for words in (
        "κ over pairs of votes",
        "shown first",
        "describes all pairs",
        "shuffled answers",
    ):
        assert words in text
    many = say(votes(20), tasks=20)
    assert "describes all pairs" not in many
    assert "shuffled answers" not in many


def test_ratings_are_ranked_by_adjusted_scores_with_rank_sets() -> None:
    found = texts(write_section_methods(rated(make_scores(criteria=("fluency", "adequacy")))))
    text = found["methods.txt"]
    assert "1,080 ratings of 3 systems, under each of 2 criteria by itself." in text
    assert "clustered by judge and by item (MacKinnon et al., 2023; Cameron et al., 2011)" in text
    assert "all sets hold the true ranks together with 95 %" in text
    assert "Bradley" not in text
    assert len(found["signature.txt"].splitlines()) == 2
    alone = texts(write_section_methods(rated(make_scores(judges=1))))["methods.txt"]
    assert "screened" not in alone
    assert "clustered by item" in alone

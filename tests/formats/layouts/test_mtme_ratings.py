"""Ratings of mt-metrics-eval."""

import json

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import MTME_RATING, MTME_RATINGS
from read_tables import refusal, rows_of


def test_what_was_not_rated_is_counted_and_keeps_its_number(save) -> None:
    text = MTME_RATINGS + 'A\t{"errors": []}\tr1\n'
    data = read(save("en-de.mqm.seg.rating", text))
    assert data.source.notes[-1] == "outputs that were not rated excluded: 1"
    assert [(row["system"], row["item"], row["score"]) for row in rows_of(data)] == [
        ("A", "1", -1),
        ("B", "1", 0),
        ("A", "3", 0),
    ]


def test_ends_stay_as_they_are(save) -> None:
    (span,) = json.loads(rows_of(save("en-de.mqm.seg.rating", MTME_RATINGS))[0]["spans"])
    assert (span["start"], span["end"], span["side"]) == (0, 4, "output")


def test_errors_are_counted_by_their_own_scores_where_all_have_one(save) -> None:
    own = {"errors": [{**MTME_RATING["errors"][0], "score": 2.5}] * 2}
    assert rows_of(save("en-de.x.seg.rating", f"A\t{json.dumps(own)}\n"))[0]["score"] == -5
    own["errors"] = [own["errors"][0], MTME_RATING["errors"][0]]
    path = save("en-de.y.seg.rating", f"A\t{json.dumps(own)}\n")
    assert "some errors have scores and others none" in refusal(path, InvalidJudgments)


def _error(n=0) -> str:
    return json.dumps({"errors": MTME_RATING["errors"] * n})


def test_a_line_is_a_segment_of_its_system_whoever_rated_it(save) -> None:
    """Two raters share segments 1 to 4 of A; the third was not rated, and its line ends early."""
    lines = [f"A\t{_error(1)}\tr1", f"A\t{_error(2)}\tr2", "A\tNone", f"A\t{_error()}\tr1"]
    for text in (lines, ["B\tNone", *lines]):
        rows = rows_of(save("en-de.mqm.merged.seg.rating", "\n".join(text) + "\n"))
        assert [(row["judge"], row["item"], row["score"]) for row in rows] == [
            ("r1", "1", -1),
            ("r2", "2", -2),
            ("r1", "4", 0),
        ]


def test_critical_errors_count_as_major_ones_and_are_counted(save) -> None:
    rating = json.dumps(MTME_RATING).replace("minor", "critical")
    data = read(save("en-de.x.seg.rating", f"A\t{rating}\n"))
    assert data.rows().score.tolist() == [-5]
    assert (
        "errors that are critical take 5 from the score, as major ones do: 1" in data.source.notes
    )

"""Agreement of ratings: counted by hand, lit where beyond chance, said where it is not known."""

import numpy as np
import pytest

from evenhand.report.document import NOT_RUN, PASSED, UNDECIDED, WARNING
from evenhand.report.sections.judges import write_section_scoring as write_section
from rated_studies import is_plain, make_rows, study, table


def on_five(rows, *, random=False):
    """Put scores on five points, by chance alone where asked."""
    rng = np.random.default_rng(2)
    return [
        {
            **row,
            "score": float(
                rng.integers(1, 6) if random else np.clip((row["score"] - 46) // 3, 1, 5)
            ),
        }
        for row in rows
    ]


def test_the_share_of_equal_scores_is_the_counted_one():
    rows = on_five(make_rows(judges=3, items=12))
    section = write_section(study(rows))
    found = {row["name"]: row["value"] for row in table(section, "coefficients").rows}
    scores = {}
    for row in rows:
        scores.setdefault((row["item"], row["system"]), []).append(row["score"])
    same = np.mean([a == b for own in scores.values() for n, a in enumerate(own) for b in own[:n]])
    near = np.mean(
        [abs(a - b) <= 1 for own in scores.values() for n, a in enumerate(own) for b in own[:n]]
    )
    assert found["n-agreement-0"] == pytest.approx(same)
    assert found["n-agreement-1"] == pytest.approx(near)
    assert {"fleiss", "alpha-interval", "icc-2-1"} <= {*found}
    assert is_plain(section)


def test_agreement_beyond_chance_passes():
    (check,) = write_section(study(on_five(make_rows()))).checks
    assert (check.name, check.state) == ("agreement", PASSED)
    assert check.says.startswith("substantial: α 0.")


def test_random_scores_warn_with_advice():
    (check,) = write_section(study(on_five(make_rows(), random=True))).checks
    assert check.state == WARNING
    assert check.recommendation.startswith("Read the question and the scale with the judges")


def test_the_worst_criterion_lights():
    rows = [
        *on_five(make_rows(criteria=("adequacy",))),
        *on_five(make_rows(criteria=("fluency",)), random=True),
    ]
    section = write_section(study(rows))
    (check,) = section.checks
    assert check.state == WARNING
    assert check.says.startswith("fluency: ")
    assert section.says[0].startswith("adequacy: two judges give the same score")
    assert [row["part"] for row in table(section, "parts").rows] == ["adequacy", "fluency"]


@pytest.mark.parametrize("role", ["judge", "item"])
def test_without_a_column_it_says_which(role):
    (check,) = write_section(study(make_rows(), drop=(role,))).checks
    assert check.state == NOT_RUN
    assert check.says == f"no column of {role}s was found"
    assert f"--column {role}=NAME" in check.recommendation


def test_few_items_are_the_reason_where_many_outputs_were_scored_by_two():
    (check,) = write_section(study(on_five(make_rows(items=5)))).checks
    assert check.state == UNDECIDED
    assert check.says.startswith("too little is known: α ")
    assert check.says.endswith(", on too few items")

"""Systems under two criteria: correlations against numpy, contrary decisions by plan."""

import numpy as np
import pytest

from evenhand.report.sections.systems import write_section_criteria as write_section
from rated_studies import WORTH, is_plain, make_rows, study, table


def two(first=None, second=None, seed=3):
    return [
        *make_rows(criteria=("adequacy",), worth=first or WORTH),
        *make_rows(criteria=("fluency",), worth=second or WORTH, seed=seed),
    ]


def test_correlations_are_those_of_means_of_systems_and_of_outputs():
    rows = two()
    section = write_section(study(rows))
    (found,) = table(section, "correlations").rows
    means = {
        key: np.mean([r["score"] for r in rows if (r["criterion"], r["system"]) == key])
        for key in {(r["criterion"], r["system"]) for r in rows}
    }
    columns = [[means[c, s] for s in sorted(WORTH)] for c in ("adequacy", "fluency")]
    assert found["pearson"] == pytest.approx(np.corrcoef(columns)[0, 1])
    assert (found["systems"], found["outputs"], found["against"]) == (3, 60, 0)
    outputs = {(r["item"], r["system"]) for r in rows}
    by_output = {key: [] for key in (("adequacy", *o) for o in outputs)} | {
        ("fluency", *o): [] for o in outputs
    }
    for r in rows:
        by_output[r["criterion"], r["item"], r["system"]].append(r["score"])
    ends = [[np.mean(by_output[c, *o]) for o in sorted(outputs)] for c in ("adequacy", "fluency")]
    assert found["outputs_pearson"] == pytest.approx(np.corrcoef(ends)[0, 1])
    assert is_plain(section)


def test_systems_that_turn_round_are_counted_and_said():
    turned = dict(zip(WORTH, list(WORTH.values())[::-1], strict=True))
    section = write_section(study(two(second=turned)))
    (found,) = table(section, "correlations").rows
    assert found["against"] == 3
    assert found["pearson"] == pytest.approx(-1.0, abs=0.02)
    assert section.says[0].endswith("; pairs of systems decided contrariwise: 3.")


def test_a_criterion_of_penalties_is_turned_before_it_is_correlated():
    rows = [{**row, "criterion": "penalty", "score": 100 - row["score"]} for row in make_rows()]
    section = write_section(study([*make_rows(), *rows]))
    (found,) = table(section, "correlations").rows
    assert found["pearson"] == pytest.approx(1.0)
    assert found["outputs_pearson"] == pytest.approx(1.0)
    assert found["against"] == 0


def test_one_criterion_or_one_system_has_nothing_to_compare():
    assert write_section(study(make_rows())).says == (
        "One criterion only, fluency. Nothing to compare.",
    )
    alone = write_section(study(make_rows(criteria=("a", "b"), worth={"nmt": 5.0})))
    assert alone.says == ("nmt is the only system.",)

"""Perplexity against independent software (golden 12), and what is no perplexity."""

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.ranking.cross_validation import average, measure_losses, raise_bits
from golden_numbers import golden
from held_out_votes import Table, few_held_out

HM = golden("12_hopkins_may_baselines", "hm")
OUTCOME = {0: 1, 1: 0, 2: 2}
TESTED = few_held_out(
    [(one, other, OUTCOME[code]) for one, other, code in HM.input["test"]], HM.input["students"]
)
PRINTED = "independent_students_geometric_as_printed"


def table(name: str) -> Table:
    found = HM.expected["models"][name]
    return Table({tuple(pair.split("|")): (p[1], p[0], p[2]) for pair, p in found.items()})


@pytest.mark.parametrize("name", sorted(set(HM.expected["perplexity"]) - {PRINTED}))
def test_perplexities_are_those_of_independent_software(name: str) -> None:
    losses = measure_losses(table(name), TESTED)
    assert raise_bits(average(losses)) == pytest.approx(HM.expected["perplexity"][name], abs=1e-12)


def test_chances_that_do_not_add_up_are_no_predictions() -> None:
    with pytest.raises(InvalidJudgments, match=r"no distributions: .* against .* has chances"):
        measure_losses(table(PRINTED), TESTED)


def test_chance_0_for_what_happened_is_refused_with_its_count() -> None:
    votes = few_held_out([("a", "b", 1), ("a", "b", 1), ("a", "b", 0)], ["a", "b"])
    with pytest.raises(NotIdentified, match="gave probability 0 to 2 held-out judgments of 3"):
        measure_losses(Table({("a", "b"): (0.5, 0.0, 0.5)}), votes)


@pytest.mark.parametrize("row", [(0.5, np.nan, 0.5), (1.5, -0.5, 0.0)])
def test_chances_below_0_or_unknown_are_refused(row: tuple[float, ...]) -> None:
    votes = few_held_out([("a", "b", 0)], ["a", "b"])
    with pytest.raises(InvalidJudgments, match="no distributions: a against b"):
        measure_losses(Table({("a", "b"): row}), votes)

"""κ of preferences in the table of agreement: intervals, parts by task, what is excluded."""

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.agreement import KAPPAS, preference_kappa
from evenhand.judges.preferences import compare_votes
from few_votes import votes_of

SEED = 20131


def campaign(seed, *, items=60, tasks=("one",), again=True):
    """Judges who agree in three of four votes; the last answers every fourth item twice."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in tasks:
        for item in range(items):
            better = rng.integers(2)
            for judge in "xyz":
                for _ in range(2 if again and judge == "z" and item % 4 == 0 else 1):
                    said = better if rng.random() < 0.75 else 1 - better
                    turned = rng.integers(2)
                    outcome = "tie" if rng.random() < 0.2 else ("left", "right")[said ^ turned]
                    left, right = ("A", "B") if not turned else ("B", "A")
                    rows.append((task, str(item), judge, left, right, outcome))
    columns = ("task", "item", "judge", "left", "right", "outcome")
    return evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))


def test_every_kappa_stands_in_the_table_with_its_interval():
    data = campaign(1)
    whole = evenhand.measure_agreement(data).whole
    for name, (mode, among, order, _) in KAPPAS.items():
        expected = compare_votes(data.votes(), mode=mode, among=among, order=order)
        assert whole[name].value == pytest.approx(expected.kappa)
        assert (whole[name].units, whole[name].ratings) == (expected.units, expected.votes)
    strict = whole["kappa-strict"]
    assert strict.lower < strict.value < strict.upper
    assert strict.notes[1].startswith(f"P(A) {compare_votes(data.votes()).observed:.3f}: ")


def test_a_bootstrap_error_is_that_of_the_jackknife():
    votes = campaign(3, items=200).votes()
    found = preference_kappa(votes, "kappa-strict", 0.95, SEED)
    sums = compare_votes(votes).by_item.astype(float)
    left_out = sums.sum(axis=0) - sums
    ties = left_out[:, 2] / left_out[:, 3]
    chance = ties**2 + (1 - ties) ** 2 / 2
    kappas = (left_out[:, 0] / left_out[:, 1] - chance) / (1 - chance)
    error = np.sqrt((len(sums) - 1) * kappas.var())
    assert (found.upper - found.lower) / (2 * 1.96) == pytest.approx(error, rel=0.1)


def test_ties_alone_have_no_kappa():
    votes = votes_of([(judge, item, 1, 2, 1) for judge in (0, 1) for item in range(3)])
    found = preference_kappa(votes, "kappa-strict", 0.95, SEED)
    assert (found.value, found.why) == (
        None,
        "all comparisons are ties: chance explains all agreement",
    )


def renamed(data, names):
    """The same comparisons with systems called otherwise."""
    columns = [pl.col(side).replace_strict(names) for side in ("left", "right")]
    return evenhand.read(pl.DataFrame(data.frame.to_native()).with_columns(columns))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_agreement_does_not_depend_on_what_systems_are_called(level):
    rng = np.random.default_rng(4)
    rows = []
    for item in range(60):
        a, b = sorted(rng.choice(5, 2, replace=False).tolist())
        for judge in "xy":
            said = "tie" if rng.random() < 0.1 else "right" if rng.random() < 0.8 else "left"
            rows.append((str(item), judge, "abcde"[a], "abcde"[b], said))
    columns = ("item", "judge", "left", "right", "outcome")
    data = evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))
    other = renamed(data, dict(zip("abcde", "dbeac", strict=True)))
    first, second = (evenhand.measure_agreement(one, level=level).whole for one in (data, other))
    for one in first.coefficients:
        same = second[one.name]
        for key in ("value", "lower", "upper"):
            assert getattr(same, key) == pytest.approx(getattr(one, key)), one.name
    assert first["fleiss"].value == pytest.approx(first["kappa-strict"].value)  # two judges each


def criteria():
    """Judges who agree on either criterion, the one output being fluent and the other adequate."""
    rows = [
        (judge, str(item), asked, ("left" if asked == "fluency" else "right"))
        for item in range(20)
        for asked in ("adequacy", "fluency")
        for judge in "xy"
    ]
    table = pl.DataFrame(rows, schema=("judge", "item", "criterion", "outcome"), orient="row")
    return evenhand.read(table.with_columns(left=pl.lit("A"), right=pl.lit("B")))


def test_answers_under_several_criteria_are_no_second_answers():
    found = evenhand.measure_agreement(criteria())
    assert [part.name for part in found.parts] == ["adequacy", "fluency", "all"]
    for part in found.parts:
        assert part["n-agreement-0"].value == part["kappa-strict"].value == 1
    assert found.whole.units == 40
    assert "kappa-intra" not in {one.name for one in found.whole.coefficients}
    assert not any("second answer" in note for note in found.notes)


def test_importance_weights_are_refused():
    table = pl.DataFrame({"left": ["a", "a"], "right": ["b", "b"], "outcome": ["left", "right"]})
    named = table.with_columns(judge=pl.Series(["x", "y"]), item=pl.lit("i"), weight=pl.lit(0.5))
    with pytest.raises(UnknownOption, match="importance weights of data frame count no votes"):
        evenhand.measure_agreement(evenhand.read(named, weights="importance"))


def test_rankings_are_checked_before_they_are_compared():
    rows = [(f"r{judge}", judge, "i", system, 0.5) for judge in "xy" for system in "AB"]
    columns = ("ranking", "judge", "item", "system", "rank")
    table = pl.DataFrame(rows, schema=columns, orient="row").lazy()
    with pytest.raises(InvalidJudgments, match="ranks are whole numbers"):
        evenhand.measure_agreement(evenhand.read(table))


def test_the_table_of_a_task_of_controls_alone_is_refused_and_no_other():
    rows = [
        (task, str(item), judge, "left", "control" if task == "t1" else "target")
        for task in ("t0", "t1")
        for item in range(12)
        for judge in "xy"
    ]
    columns = ("task", "item", "judge", "outcome", "kind")
    table = pl.DataFrame(rows, schema=columns, orient="row")
    found = evenhand.measure_agreement(
        evenhand.read(table.with_columns(left=pl.lit("A"), right=pl.lit("B")))
    )
    assert list(found) == ["t0"]
    assert found.refused == {"t1": "nothing to compare: all judgments are controls or repeats"}


def test_comparisons_of_outputs_that_nobody_shares_are_told_the_setting():
    rows = [(str(n), "xyz"[n % 3], "A", "B", "left") for n in range(12)]
    columns = ("item", "judge", "left", "right", "outcome")
    data = evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))
    said = "judged by two judges: 12 output pairs, and no two of 3.*judges_per_item = 2 in campaign"
    with pytest.raises(NotIdentified, match=said):
        evenhand.measure_agreement(data)

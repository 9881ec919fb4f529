"""Existence for rankings: against a linear programme over all rivals, listed; and in words."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.orders import PatternModel, PlackettLuce
from evenhand.numerics.graph import find_recession
from ordered import all_rankings, ranked
from tallies import tally


def draw_rows(seed):
    """A few rankings of 3 to 4 systems with ties, most of them of all systems."""
    rng = np.random.default_rng(seed)
    names = "ABCD"[: int(rng.integers(3, 5))]
    share = rng.choice([0.2, 0.5])
    rows = []
    for _ in range(int(rng.integers(2, 7))):
        m = int(rng.integers(2, len(names) + 1))
        shown = rng.permutation(list(names))[:m]
        text = shown[0] + "".join(("=" if rng.random() < share else ">") + one for one in shown[1:])
        rows.append((text, 1))
    used = sorted({one for text, _ in rows for one in text if one.isalpha()})
    return rows, used


def stage_vectors(rows, used):
    """x_observed − x_rival of every stage and every rival subset, θ of the last system excluded."""
    orders = ranked(rows)
    sizes = np.union1d(1, orders.sizes()[orders.sizes() > 0]).tolist()
    k = len(used)

    def vector(subset):
        x = np.zeros(k + len(sizes))
        x[[used.index(one) for one in subset]] = 1 / len(subset)
        x[k + sizes.index(len(subset))] = 1
        return np.delete(x, [k - 1, k])

    found = []
    for text, _ in rows:
        groups = [tuple(group.split("=")) for group in text.split(">")]
        for at, chosen in enumerate(groups):
            left = [one for group in groups[at:] for one in group]
            rivals = [s for d in sizes if d <= len(left) for s in combinations(left, d)]
            found += [vector(chosen) - vector(rival) for rival in rivals if len(left) > 1]
    return np.array(found)


def pattern_vectors(rows, used):
    """The same for whole rankings under the pattern model."""
    tied = bool((ranked(rows).sizes() > 1).any())

    def vector(groups):
        place = {one: at for at, group in enumerate(groups) for one in group}
        x = np.zeros(len(used) + 1)
        for a, b in combinations(place, 2):
            sign = np.sign(place[b] - place[a])
            x[used.index(a)] += sign
            x[used.index(b)] -= sign
            x[-1] += sign == 0
        return np.delete(x, [len(used) - 1, *([] if tied else [len(used)])])

    found = []
    for text, _ in rows:
        groups = tuple(tuple(sorted(group.split("="))) for group in text.split(">"))
        outputs = tuple(sorted(one for group in groups for one in group))
        rivals = [one for one in all_rankings(outputs) if tied or len(one) == len(outputs)]
        found += [vector(groups) - vector(rival) for rival in rivals]
    return np.array(found)


CASES = [
    pytest.param(PlackettLuce(), stage_vectors, id="plackett-luce"),
    pytest.param(PatternModel(), pattern_vectors, id="pattern"),
]


@pytest.mark.parametrize(("model", "vectors"), CASES)
def test_refused_exactly_where_a_programme_over_all_rivals_finds_a_direction(model, vectors):
    answers = []
    for seed in range(60):
        rows, used = draw_rows(seed)
        exists = find_recession(vectors(rows, used)).exists
        answers.append(exists)
        if exists:
            assert np.isfinite(model.fit(ranked(rows)).beta).all(), rows
        else:
            with pytest.raises(NotIdentified):
                model.fit(ranked(rows))
    assert min(answers.count(True), answers.count(False)) > 12


@pytest.mark.parametrize("seed", range(15))
def test_on_pairs_the_rule_is_that_of_davidsons_model(seed):
    rng = np.random.default_rng(seed)
    pairs = [("A", "B"), ("B", "C"), ("A", "C")]
    counts = [rng.poisson(0.9, 3).tolist() for _ in pairs]
    rows = [(*pair, *n) for pair, n in zip(pairs, counts, strict=True) if sum(n)]
    if len({name for row in rows for name in row[:2]}) < 3:
        rows = [("A", "B", 1, 0, 0), ("B", "C", 1, 1, 0)]
    data = tally(*rows)
    try:
        expected = BradleyTerry().fit(data).log_worth
    except NotIdentified:
        with pytest.raises(NotIdentified):
            PlackettLuce().fit(data)
        return
    np.testing.assert_allclose(PlackettLuce().fit(data).log_worth, expected, atol=1e-6)


@pytest.mark.parametrize("model", [PlackettLuce(), PatternModel()], ids=["luce", "pattern"])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("A>B>C", 3), ("A>C>B", 2)], 'nobody preferred anything to "A" \\(0 of 10\\)'),
        ([("A>B>C", 3), ("B>A>C", 2)], '"C" was never preferred to anything \\(0 of 10\\)'),
        ([("A>B", 1), ("B>A", 1), ("C>D", 1), ("D>C", 1)], "A, B were never compared with C, D"),
        ([("A=B", 3), ("A=B=C", 1)], "tie of 2, tie of 3|tie: no finite estimate"),
        ([("A>B", 9), ("A=B", 3)], "(tie of 2|tie): no finite estimate, nor have the worths of A"),
    ],
)
def test_refusals_name_the_systems_and_a_prior_or_the_ties_help(model, rows, message):
    with pytest.raises(NotIdentified, match=message) as caught:
        model.fit(ranked(rows))
    assert "--prior 1" in str(caught.value)


def test_a_tie_that_never_failed_to_happen_has_no_finite_weight():
    rows = [("A>B", 2), ("B>A", 1), ("B>C", 1), ("C>B", 2), ("A=B=C", 3)]
    with pytest.raises(NotIdentified, match="tie of 3: no finite estimate, since no ranking"):
        PlackettLuce().fit(ranked(rows))
    fit = PlackettLuce().fit(ranked([*rows, ("A>B>C", 1)]))
    assert fit.names[-1] == "g3"


@pytest.mark.parametrize("model", [PlackettLuce, PatternModel])
def test_where_ties_alone_run_away_no_worths_are_blamed(model):
    with pytest.raises(NotIdentified, match="estimate, since no ranking gainsays that it grows"):
        model().fit(ranked([("A=B=C", 2)]))


def test_where_worths_must_move_too_they_are_named():
    with pytest.raises(NotIdentified, match="nor have the worths of A against B, since") as caught:
        PlackettLuce().fit(ranked([("A>B", 1), ("A=B", 1)]))
    assert "that they grow for ever" in str(caught.value)


def test_under_a_prior_another_is_not_advised():
    with pytest.raises(NotIdentified, match="tie of 3: no finite estimate") as caught:
        PlackettLuce(prior=1).fit(ranked([("A=B=C", 2)]))
    assert "prior" not in str(caught.value)
    assert "collect more rankings, or expand the rankings" in str(caught.value)

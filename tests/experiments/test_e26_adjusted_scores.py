"""E26: are differences of adjusted scores covered where judges and items are clusters?

6 equal systems, 12 judges, 60 items, 900 scores:

    y = 50 + severity_j + difficulty_i + taste_js + (item x system)_is + noise

with standard deviations 8, 10, 0 or 6, 5 and 10. Each score has a judge and an item at random;
"unequal" judges see systems with chances of their own, Dirichlet(.6), the others all alike. Four
arms: views equal or unequal, with and without taste. R = 100; counted are the 15 pairs of each
campaign whose 95 % interval holds 0, and how wide these intervals are. Intervals of `rank` are its
differences with its errors, on t with 11 degrees of freedom; "all at once" is how many campaigns
have no pair decided, as 15 equal pairs ask of rank sets.

Rivals in the same run: raw means and least squares with errors as if scores were independent, and
raw means by judges and items. The reference is written here with numpy alone: judges and items as
dummy variables, a refit without each judge and each item, a leverage for what one judge said of one
item, V = max(V_J, V_I, V_J + V_I - V_JI).

Pass: coverage of .92 in all arms; where views are unequal and judges without taste, at most .65 of
the width of raw means by judges and items; independent scores cover at most .70 there by raw means,
and by both where judges have tastes as well.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as student

import evenhand
from evenhand.models.mixed import Mixed
from experiments.campaign import generator, part_of
from experiments.test_e13_variance import rows_of

SYSTEMS, JUDGES, ITEMS, SCORES, R = 6, 12, 60, 900, part_of(100)
FLOOR, MOST_WIDTH, MOST_NAIVE = 0.92, 0.65, 0.70
FLOOR_OF_ALL = 0.95 - 3.09 * (0.0475 / R) ** 0.5  # but for one time in a thousand
PAIRS = tuple(combinations(range(SYSTEMS), 2))
CONTRASTS = np.array([np.eye(SYSTEMS)[a] - np.eye(SYSTEMS)[b] for a, b in PAIRS])
DF = min(JUDGES, ITEMS) - 1


@dataclass(frozen=True)
class Arm:
    """What judges are like."""

    unequal: bool  # whether they saw systems unequally
    taste: float  # standard deviation of judge x system


ARMS = {1: Arm(True, 0.0), 2: Arm(False, 0.0), 3: Arm(True, 6.0), 4: Arm(False, 6.0)}


@dataclass(frozen=True, eq=False)
class Scores:
    """One campaign, (n,) each."""

    judge: np.ndarray
    item: np.ndarray
    system: np.ndarray
    score: np.ndarray


def draw(arm: Arm, rng: np.random.Generator) -> Scores:
    severity, difficulty = rng.normal(0, 8, JUDGES), rng.normal(0, 10, ITEMS)
    crossed = rng.normal(0, 5, (ITEMS, SYSTEMS))
    taste = rng.normal(0, arm.taste, (JUDGES, SYSTEMS))
    seen = np.full((JUDGES, SYSTEMS), 1 / SYSTEMS)
    if arm.unequal:
        seen = rng.dirichlet(np.full(SYSTEMS, 0.6), JUDGES)
    judge, item = rng.integers(JUDGES, size=SCORES), rng.integers(ITEMS, size=SCORES)
    system = (rng.random((SCORES, 1)) > seen[judge].cumsum(axis=1)[:, :-1]).sum(axis=1)
    score = 50 + severity[judge] + difficulty[item] + taste[judge, system]
    score += crossed[item, system] + rng.normal(0, 10, SCORES)
    return Scores(judge, item, system, score)


def indicate(codes, size):
    """(n, size) dummy variables."""
    return np.eye(size)[codes]


def jackknife(changes):
    """Variances of contrasts (P,) from (G, P) estimates that leave a cluster out."""
    clusters = len(changes)
    return (clusters - 1) / clusters * ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)


def leave_out(design, scores, codes):
    """(G, P) differences from refits without each cluster; the first columns are systems.

    By normal equations. Effects that the rest says nothing of are 0, and so are what is common to
    systems, to judges and to items: no difference depends on these.
    """
    columns = [SYSTEMS, JUDGES, ITEMS] if len(design[0]) > SYSTEMS else [SYSTEMS]
    kinds = np.repeat(np.eye(len(columns)), columns, axis=1)
    common = kinds[:-1] - kinds[1:]
    whole, side = design.T @ design, design.T @ scores.score
    grams, sides = [], []
    for code in np.unique(codes):
        rows = design[codes == code]
        gram = whole - rows.T @ rows
        unseen = np.diag(1.0 * (np.diag(gram) == 0))
        grams.append(gram + common.T @ common + unseen)
        sides.append(side - rows.T @ scores.score[codes == code])
    fits = np.linalg.solve(np.array(grams), np.array(sides)[:, :, None])[:, :SYSTEMS, 0]
    return fits @ CONTRASTS.T


def leave_cells_out(design, residual, inverse, cell):
    """(G, P) the same without what one judge said of one item, which no effect rests on."""
    changes = []
    for code in np.unique(cell):
        rows = design[cell == code]
        lever = np.eye(len(rows)) - rows @ inverse @ rows.T
        moved = inverse @ rows.T @ np.linalg.solve(lever, residual[cell == code])
        changes.append(CONTRASTS @ -moved[:SYSTEMS])
    return np.array(changes)


def regress(scores, *, effects):
    """(P,) differences, their errors by judges and items, and as if scores were independent."""
    parts = [indicate(scores.system, SYSTEMS)]
    if effects:
        parts += [indicate(scores.judge, JUDGES), indicate(scores.item, ITEMS)]
    design = np.concatenate(parts, axis=1)
    gram = design.T @ design
    inverse = np.linalg.pinv(gram, hermitian=True)
    fit = inverse @ design.T @ scores.score
    residual = scores.score - design @ fit
    df = SCORES - np.linalg.matrix_rank(gram)
    spread = CONTRASTS @ inverse[:SYSTEMS, :SYSTEMS] @ CONTRASTS.T
    alone = np.sqrt(residual @ residual / df * np.diag(spread))
    by_judge = jackknife(leave_out(design, scores, scores.judge))
    by_item = jackknife(leave_out(design, scores, scores.item))
    cell = scores.judge * ITEMS + scores.item
    by_cell = jackknife(leave_cells_out(design, residual, inverse, cell))
    both = np.max([by_judge, by_item, by_judge + by_item - by_cell], axis=0)
    return CONTRASTS @ fit[:SYSTEMS], np.sqrt(both), alone


def rank(scores):
    """(P,) differences by `rank`, their errors, and whether it decides no pair."""
    rows = rows_of(scores.judge, scores.item, scores.system, scores.score)
    ranking = evenhand.rank(rows)
    at = [ranking.systems.index(f"{code:03d}") for code in range(SYSTEMS)]
    apart = CONTRASTS @ ranking.estimate[at]
    errors = ranking.pair_stderr[np.ix_(at, at)]
    return apart, np.array([errors[pair] for pair in PAIRS]), not ranking.rank_sets.decided.any()


@cache
def run(number, replicates=R):
    """Method → (coverage of a pair, mean width of an interval)."""
    found = {}
    for replicate in range(replicates):
        scores = draw(ARMS[number], generator(26, number, replicate))
        apart, errors, silent = rank(scores)
        methods = {"rank": (apart, student.ppf(0.975, DF) * errors)}
        for name in ("raw", "adjusted"):
            apart, clustered, alone = regress(scores, effects=name == "adjusted")
            methods[f"{name} clustered"] = apart, student.ppf(0.975, DF) * clustered
            methods[f"{name} independent"] = apart, student.ppf(0.975, SCORES - 1) * alone
        for name, (apart, margin) in methods.items():
            held = ((np.abs(apart) <= margin).mean(), 2 * margin.mean())
            found.setdefault(name, []).append(held)
        found.setdefault("all at once", []).append((silent, 0.0))
    return {name: tuple(np.mean(one, axis=0).tolist()) for name, one in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("number", ARMS)
def test_adjusted_scores_cover_with_judges_and_items_as_clusters(number):
    found = run(number)
    counts = [f"{name} {cover:.3f} / {width:.1f}" for name, (cover, width) in found.items()]
    print(f"E26 arm {number} R={R}:", "; ".join(counts))  # noqa: T201 - an experiment shows its counts
    assert found["rank"][0] >= FLOOR
    assert found["adjusted clustered"][0] >= FLOOR
    assert found["all at once"][0] >= FLOOR_OF_ALL


@pytest.mark.slow
@pytest.mark.parametrize("number", ARMS)
def test_intervals_are_as_wide_as_those_of_refits(number):
    found = run(number)
    ratio = found["rank"][1] / found["adjusted clustered"][1]
    assert 0.97 <= ratio <= 1.03


@pytest.mark.slow
def test_adjusting_pays_where_judges_saw_systems_unequally():
    found = run(1)
    assert found["rank"][1] / found["raw clustered"][1] <= MOST_WIDTH


@pytest.mark.slow
def test_independent_scores_trust_unequal_judges_too_much():
    assert run(1)["raw independent"][0] <= MOST_NAIVE
    for name in ("raw", "adjusted"):
        assert run(3)[f"{name} independent"][0] <= MOST_NAIVE


@pytest.mark.slow
@pytest.mark.parametrize("number", ARMS)
def test_the_mixed_model_covers_where_its_effects_are_random(number):
    held, widths = [], []
    for replicate in range(R):
        scores = draw(ARMS[number], generator(26, number, replicate))
        fit = Mixed().fit(rows_of(scores.judge, scores.item, scores.system, scores.score))
        for one in fit.compare_all():
            margin = student.ppf(0.975, one.df) * one.stderr
            held.append(abs(one.estimate) <= margin)
            widths.append(2 * margin)
    print(f"E26 arm {number} R={R}: mixed {np.mean(held):.3f} / {np.mean(widths):.1f}")  # noqa: T201 - an experiment shows its counts
    assert np.mean(held) >= FLOOR


@pytest.mark.parametrize("number", ARMS)
def test_rank_gives_the_estimates_and_errors_of_dummy_variables_and_refits(number):
    scores = draw(ARMS[number], generator(26, number, 0))
    apart, errors, _ = rank(scores)
    expected, clustered, _ = regress(scores, effects=True)
    assert np.abs(apart - expected).max() <= 1e-9
    assert np.abs(errors / clustered - 1).max() <= 0.05

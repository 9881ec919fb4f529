"""Statistics of metrics against mt-metrics-eval, scipy, and exact enumeration."""

import numpy as np
import pytest
from scipy import stats

from evenhand import meta_evaluate
from evenhand.metrics import comparison
from evenhand.metrics import statistics as measures
from golden_numbers import entries, golden

SMALL = [one for one in entries("metrics") if one.id.startswith("small")]
TABLES = [(one, name) for one in SMALL for name in one.input["metrics"]]
GROUPS = {"none": "none", "item": "item", "system": "sys"}
WORDS = {"pearson": "pearson", "spearman": "spearman", "tau-b": "kendall_b", "tau-c": "kendall_c"}
OF_SYSTEMS = {
    "pearson": "sys_pearson",
    "spearman": "sys_spearman",
    "tau-b": "sys_kendall_b",
    "pa": "sys_pairwise_accuracy",
}


def array(rows):
    return np.array([[np.nan if one is None else one for one in row] for row in rows])


def measure(h, m, least):
    """All statistics, under the names of the golden file."""
    found = {}
    steps = measures.Steps.count(np.stack([h, m]))
    people, metric = measures.average_systems(~np.isnan(h), steps)
    for word, key in OF_SYSTEMS.items():
        found[key] = measures.correlate_systems(people, metric[None], word)[0]
    for group, end in GROUPS.items():
        for word, key in WORDS.items():
            value, used, _ = measures.correlate_segments(h, m, word, group)
            found[f"{key}_{end}"] = value
            found.setdefault(f"groups_used_pearson_{end}", used)
        if group != "none" or h.size < 100:
            pairs = measures.pair_segments(h, group)
            flat = m.ravel()
            apart = flat[pairs.first] - flat[pairs.second]
            found[f"acc_eq_{end}"] = measures.measure_accuracy(pairs, apart, 0.0)
            best, epsilon = measures.calibrate(pairs, apart)
            found |= {f"acc_eq_star_{end}": best, f"acc_eq_star_{end}_epsilon": epsilon}
            if group == "item":
                found["kendall_like_item"] = measures.kendall_like(pairs, h, apart, least)
    return found


def compare(found, expected):
    for name, value in found.items():
        if name in expected:
            assert value == pytest.approx(expected[name], abs=1e-9), name
    assert len({*found} & {*expected}) >= 25


@pytest.mark.parametrize(("one", "name"), TABLES, ids=lambda v: getattr(v, "id", v))
def test_statistics_are_those_of_the_reference(one, name):
    h, m = array(one.input["human"]), array(one.input["metrics"][name])
    compare(measure(h, m, least=2), one.expected[name])


@pytest.mark.parametrize("name", ["continuous", "coarse", "noise"])
def test_soft_accuracy_by_enumeration_is_exact_by_both_rules(name):
    one = golden("metrics", "small_K4_S8")
    h, m = array(one.input["human"]), array(one.input["metrics"][name])
    h, m = measures.Steps.count(np.stack([h, m])).whole
    flips = measures.flip_items(8, np.random.default_rng(0))
    assert len(flips) == 2**8
    for whole, key in ((True, "spa_exact_geq"), (False, "spa_exact_midp")):
        p = [measures.flip_test(x, flips, whole=whole)[0] for x in (h, m)]
        assert measures.soft_accuracy(*p) == pytest.approx(one.expected[name][key], abs=1e-9)
        if whole:
            assert p[0] == pytest.approx(one.expected[name]["p_human_exact_geq_upper"], abs=1e-9)
            assert p[1] == pytest.approx(one.expected[name]["p_metric_exact_geq_upper"], abs=1e-9)


def test_all_statistics_on_real_protocols_are_those_of_the_reference(data_folder):
    duckdb = pytest.importorskip("duckdb")
    path = data_folder / "esa_wmt23_ende" / "ratings.parquet"
    one = golden("metrics", "wmt23_ende_gold_MQM")
    rows = duckdb.sql(
        f"select protocol, system, item, avg(score) from '{path}' where type = 'TGT' group by all"
    ).fetchall()
    tables: dict = {}
    for protocol, system, item, score in rows:
        tables.setdefault(protocol, {})[system, item] = score
    systems, items = one.input["systems"], sorted({item for _, _, item, _ in rows})
    whole = [i for i in items if all((s, i) in t for t in tables.values() for s in systems)]
    assert len(whole) == one.input["n_items"]
    scores = {p: np.array([[t[s, i] for i in whole] for s in systems]) for p, t in tables.items()}
    flips = measures.flip_items(len(whole), np.random.default_rng(2))
    for name, expected in one.expected.items():
        compare(measure(scores["MQM"], scores[name], least=25), expected)
        p = [measures.flip_test(scores[x], flips, whole=True)[0] for x in ("MQM", name)]
        drawn = expected["spa_reference_seed4_B1000"]
        assert measures.soft_accuracy(*p) == pytest.approx(drawn, abs=0.01)


@pytest.mark.parametrize("one", SMALL, ids=lambda one: one.id)
def test_permuted_cells_are_those_of_the_reference_within_chance(one, monkeypatch):
    monkeypatch.setattr(comparison, "DRAWS", 5000)
    h = array(one.input["human"])
    judged = ~np.isnan(h)
    both = np.array([array(one.input["metrics"][name]) for name in ("continuous", "coarse")])
    metrics = comparison.Scaled.by(both[:, judged], np.where(judged, both, np.nan))
    people = comparison.Scaled.by(h[judged][None], h[None])
    values = np.array([stats.pearsonr(h[judged], m[judged]).statistic for m in both])
    found = comparison.test_sums(
        metrics,
        people,
        comparison.measure_pearson,
        (np.array([0]), np.array([1])),
        np.random.default_rng(9),
        judged=judged,
        test="perm-both",
        values=values,
        same=comparison.SAME,
    )
    expected = one.expected["perm_both_pearson_none"]
    assert found.difference[0] == pytest.approx(expected["delta_2_minus_1"], abs=1e-9)
    p, chance = expected["p_metric2_better_k5000_seed7"], expected["mc_tolerance"]
    assert found.p_better[0] == pytest.approx(p, abs=2**0.5 * chance)


@pytest.mark.parametrize("one", SMALL, ids=lambda one: one.id)
def test_williams_test_is_that_of_the_reference(one):
    expected = one.expected.get("williams")
    if expected is None:
        pytest.skip("the reference has no Williams test of this table")
    r12, r1, r2 = (expected[name] for name in ("r12", "r1", "r2"))
    root = np.linalg.cholesky([[1, r2, r1], [r2, 1, r12], [r1, r12, 1]])
    rng, n = np.random.default_rng(0), expected["n"]
    # vectors that have these correlations
    basis = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 3))]))[0][:, 1:]
    people, *metrics = root @ basis.T
    pair = np.array([0]), np.array([1])
    found = comparison.test_williams(people, np.array(metrics), pair, comparison.SAME)
    assert found.p[0] == pytest.approx(expected["p_two_sided"], abs=1e-9)
    assert found.p_better[0] == pytest.approx(expected["p_one_sided"], abs=1e-9)


def test_clusters_by_the_references_rule():
    for one in golden("metrics", "significance_clusters").expected:
        assert comparison.cluster_greedily(np.array(one["p_upper"]), one["pval"]) == one["ranks"]


def test_the_verb_and_the_function_give_the_reference_its_numbers():
    """The whole way: a table of people, one of metrics, mean over groups."""
    one = golden("metrics", "small_K5_S10_missing")
    cells = [
        (f"s{k}", i, value)
        for k, row in enumerate(one.input["human"])
        for i, value in enumerate(row)
        if value is not None
    ]
    people = dict(
        zip(("system", "item", "score"), map(list, zip(*cells, strict=True)), strict=True)
    )
    scores = {"system": [f"s{k}" for k in range(5) for _ in range(10)], "item": [*range(10)] * 5}
    scores |= {n: [one for row in m for one in row] for n, m in one.input["metrics"].items()}
    found = meta_evaluate(people, scores, statistics=["acc-eq-star", "pearson", "tau-b", "tau-c"])
    for at, name in enumerate(found.metrics):
        expected = one.expected[name]
        for key, theirs in (
            ("acc-eq-star", "acc_eq_star_item"),
            ("system-pearson", "sys_pearson"),
            ("segment-pearson", "pearson_item"),
            ("segment-tau-b", "kendall_b_item"),
            ("tau-c", "kendall_c_item"),
        ):
            assert found.values[key][at] == pytest.approx(expected[theirs], abs=1e-9), key

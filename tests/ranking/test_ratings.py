"""Ranking by ratings: estimates, errors, references, criteria and what is refused (METHODS 10)."""

from itertools import product

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.formats.writing import write
from evenhand.ranking.fitted import FittedRatings
from rated_studies import make_rows

K, JUDGES, ITEMS = 5, 8, 20


def make(n=400, seed=1, items=ITEMS, **more):
    """Simulate ratings of five systems by eight judges, who saw them unequally."""
    rng = np.random.default_rng(seed)
    judge, item = rng.integers(0, JUDGES, n), rng.integers(0, items, n)
    shares = rng.dirichlet(np.full(K, 0.8), JUDGES)
    system = np.array([rng.choice(K, p=shares[one]) for one in judge])
    score = (
        50 + 2.0 * system + 6 * rng.normal(size=JUDGES)[judge] + 5 * rng.normal(size=items)[item]
    )
    score += 8 * rng.normal(size=n)
    return {
        "judge": [f"judge-{one}" for one in judge],
        "item": [f"item-{one}" for one in item],
        "system": [f"system-{one}" for one in system],
        "score": score.tolist(),
        **more,
    }


def rank(columns, **options):
    return evenhand.rank(evenhand.read(pl.DataFrame(columns)), **options)


def dummies(names):
    levels, codes = np.unique(names, return_inverse=True)
    return np.eye(len(levels))[codes]


def regress(columns, keep=slice(None)):
    """Regress scores on dummies of systems, judges and items; return centred system effects."""
    design = np.hstack([dummies(columns[name]) for name in ("system", "judge", "item")])
    solved = np.linalg.lstsq(design[keep], np.array(columns["score"])[keep], rcond=None)[0]
    systems = solved[: len({*columns["system"]})]
    return systems - systems.mean()


def by_name(ranking, values):
    return np.array([v for _, v in sorted(zip(ranking.systems, values, strict=True))])


def test_adjusted_estimates_and_model_errors_are_those_of_statsmodels():
    formula = pytest.importorskip("statsmodels.formula.api")
    columns = make()
    fit = evenhand.Adjusted().fit(evenhand.read(pl.DataFrame(columns)))
    pandas = pytest.importorskip("pandas")
    ols = formula.ols("score ~ C(system) + C(judge) + C(item)", pandas.DataFrame(columns)).fit()
    for at in range(1, K):
        name = f"C(system)[T.system-{at}]"
        (contrast,) = fit.contrasts([(f"system-{at}", "system-0")])
        assert contrast.estimate == pytest.approx(ols.params[name], abs=1e-9)
        assert contrast.stderr == pytest.approx(ols.bse[name], abs=1e-9)
        assert contrast.df == ols.df_resid
        assert contrast.p == pytest.approx(ols.pvalues[name], abs=1e-9)


@pytest.mark.parametrize("model", ["adjusted", "mean", "z"])
def test_balanced_ratings_have_raw_means(model):
    cells = [(j, i, s) for j in range(6) for i in range(10) for s in range(4)]
    rng = np.random.default_rng(2)
    columns = {
        "judge": [f"j{j}" for j, _, _ in cells],
        "item": [f"i{i}" for _, i, _ in cells],
        "system": [f"s{s}" for _, _, s in cells],
        "score": rng.normal(50, 10, len(cells)).tolist(),
    }
    ranking = rank(columns, model=model)
    frame = pl.DataFrame(columns)
    if model == "z":
        deviation = (pl.col("score") - pl.col("score").mean()) / pl.col("score").std(ddof=1)
        frame = frame.with_columns(score=deviation.over("judge"))
    means = frame.group_by("system").agg(pl.col("score").mean()).sort("system")["score"]
    assert np.allclose(by_name(ranking, ranking.estimate), means, atol=1e-12)
    assert np.allclose(by_name(ranking, ranking.mean), by_name(rank(columns), rank(columns).mean))
    assert ranking.scale == ("z" if model == "z" else "score")


def beside_refits(columns, way):
    """Return errors of systems over those by leaving each judge, or item, out and fitting again."""
    ranking = rank(columns, cluster=way, interval="sandwich")
    names = np.array(columns[way])
    whole, levels = regress(columns), np.unique(names)
    changes = np.array([regress(columns, names != one) - whole for one in levels])
    g = len(levels)
    spread = (g - 1) / g * ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)
    return by_name(ranking, ranking.stderr) / np.sqrt(spread)


@pytest.mark.parametrize("way", ["judge", "item"])
@pytest.mark.parametrize(
    ("n", "items", "average", "single"),
    [(240, 20, 0.01, 0.02), (180, 60, 0.025, 0.05), (70, 20, 0.08, 0.13)],
)
def test_errors_are_smaller_than_refits_by_as_much_as_the_page_says(n, items, average, single, way):
    """docs/ratings.md; seeds whose systems stay connected without any judge or item."""
    ratios = [beside_refits(make(n, seed, items), way).mean() for seed in range(1, 9)]
    assert 1 - average < np.mean(ratios) <= 1
    assert min(ratios) > 1 - single


def test_with_one_classification_errors_are_exactly_those_of_refits():
    columns = make()
    del columns["item"]
    ranking = rank(columns, cluster="judge", interval="sandwich")

    def fit(keep):
        design = np.hstack([dummies(columns[name]) for name in ("system", "judge")])
        solved = np.linalg.lstsq(design[keep], np.array(columns["score"])[keep], rcond=None)[0]
        return solved[:K] - solved[:K].mean()

    names = np.array(columns["judge"])
    levels = np.unique(names)
    changes = np.array([fit(names != one) for one in levels])
    g = len(levels)
    spread = (g - 1) / g * ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)
    assert np.allclose(by_name(ranking, ranking.stderr), np.sqrt(spread), rtol=1e-9)


def test_a_shift_of_all_scores_moves_estimates_alone_and_a_mirror_turns_the_board():
    columns = make()
    ranking = rank(columns)
    moved = rank({**columns, "score": [one + 1000 for one in columns["score"]]})
    assert moved.systems == ranking.systems
    assert np.allclose(moved.estimate, ranking.estimate + 1000)
    assert np.allclose(moved.stderr, ranking.stderr)
    mirrored = rank({**columns, "score": [-one for one in columns["score"]]}, lower_is_better=True)
    assert mirrored.systems == ranking.systems
    assert np.allclose(mirrored.estimate, -ranking.estimate)
    assert np.array_equal(mirrored.decided, ranking.decided)
    assert np.allclose(mirrored.lower, -ranking.upper)


def test_the_order_of_rows_and_the_names_of_judges_do_not_matter():
    columns = make()
    order = np.random.default_rng(3).permutation(len(columns["score"]))
    shuffled = {name: [values[at] for at in order] for name, values in columns.items()}
    assert rank(shuffled).to_dict() == rank(columns).to_dict()


def test_several_criteria_are_ranked_one_by_one_and_one_can_be_chosen():
    columns = make(criterion=["adequacy", "fluency"] * 200)
    grouped = rank(columns)
    assert grouped.by == "criterion"
    assert list(grouped) == ["adequacy", "fluency"]
    alone = rank(columns, criterion="fluency")
    assert np.allclose(alone.estimate, grouped["fluency"].estimate)
    assert [one.code for one in alone.excluded] == ["criterion"]


def make_with_reference():
    """Return scores of four systems and refA, whom one judge scored alone, and on items alone."""
    columns = make()
    columns["system"] = [one.replace("system-4", "refA") for one in columns["system"]]
    for row in (("z", "item-0", "refA", 60.0), ("z", "z", "refA", 30.0)):
        for name, value in zip(columns, row, strict=True):
            columns[name] = [*columns[name], value]
    return columns


def test_references_have_no_rank():
    columns = make_with_reference()
    ranking = rank(columns)
    assert "refA" not in ranking.systems
    (reference,) = ranking.references
    assert reference["system"] == "refA"
    assert ranking.rank_upper.max() == K - 1
    everybody = rank(columns, references=())
    assert "refA" in everybody.systems
    # by the fit of all, as far above the systems as there
    mean = np.mean([everybody.row(name)["estimate"] for name in ranking.systems])
    above = everybody.row("refA")["estimate"] - mean
    assert reference["estimate"] - ranking.estimate.mean() == pytest.approx(above)


@pytest.mark.parametrize("model", ["adjusted", "mean", "z", "mixed", "ordinal"])
def test_rows_of_references_change_no_answer_about_systems(model):
    columns = make_with_reference()
    columns["score"] = np.round(np.array(columns["score"]) / 15).tolist()
    kept = [at for at, name in enumerate(columns["system"]) if name != "refA"]
    alone = {name: [values[at] for at in kept] for name, values in columns.items()}
    found, expected = (rank(one, model=model).to_dict() for one in (columns, alone))
    assert [one["system"] for one in found.pop("references")] == ["refA"]
    (excluded,) = found.pop("excluded")
    assert (excluded["code"], excluded["rows"]) == ("references", len(columns["score"]) - len(kept))
    assert found.pop("signature").startswith(expected.pop("signature"))
    assert expected.pop("excluded") == []
    for one in (found, expected):  # which rows are alike is of the file
        one["findings"] = [each for each in one["findings"] if each["code"] != "identical-rows"]
    assert found == expected


def test_tables_with_the_method_of_wmt_sign_scores_of_references_too():
    """Judges are standardised by them, so that they move its estimates."""
    columns = make_with_reference()
    moved = [
        one + 40 * (at == columns["system"].index("refA"))
        for at, one in enumerate(columns["score"])
    ]
    found, other = (
        evenhand.compare_methods(evenhand.read(pl.DataFrame(one)))
        for one in (columns, columns | {"score": moved})
    )
    assert found.scores["wmt-da"].values.tolist() != other.scores["wmt-da"].values.tolist()
    assert found.digest != other.digest


def test_ranks_and_tests_decide_the_same_pairs_beside_references():
    table = evenhand.read(pl.DataFrame(make_with_reference()))
    tested, ranked = (
        {frozenset((one["first"], one["second"])): one[p] for one in rows}
        for p, rows in (
            ("p_clustered", evenhand.find_differences(table).records()),
            ("p_adjusted", evenhand.rank(table).pairs()),
        )
    )
    assert ranked == tested


def leave_out_rows(columns, system):
    kept = [at for at, name in enumerate(columns["system"]) if name != system]
    return {name: [values[at] for at in kept] for name, values in columns.items()}


@pytest.mark.parametrize("model", ["adjusted", "mean", "z"])
def test_rows_of_references_change_no_test_of_systems(model):
    """Nor do they change the scales of judges that z-scores are on."""
    columns = make_with_reference()
    found, expected = (
        evenhand.find_differences(evenhand.read(pl.DataFrame(one)), model=model).to_dict()
        for one in (columns, leave_out_rows(columns, "refA"))
    )
    assert [one["code"] for one in found.pop("excluded")] == ["references"]
    assert found.pop("signature").startswith(expected.pop("signature"))
    assert expected.pop("excluded") == []
    assert found == expected


@pytest.mark.parametrize(
    ("new", "renamed", "left_out"),
    [("system-3", {}, "refA"), ("refA", {}, None), ("refA", {"system-0": "refB"}, "refB")],
)
def test_gates_exclude_references_unless_one_is_compared(new, renamed, left_out):
    columns = make_with_reference()
    columns["system"] = [renamed.get(one, one) for one in columns["system"]]
    found = evenhand.gate(evenhand.read(pl.DataFrame(columns)), new=new, old="system-1", margin=2)
    kept = leave_out_rows(columns, left_out)
    estimate, at = regress(kept), sorted({*kept["system"]}).index
    against = estimate[at(new)] - estimate[at("system-1")]
    assert found.comparisons[0].difference == pytest.approx(against, abs=1e-9)
    excluded = [] if left_out is None else [(left_out,)]
    assert [one.system_names for one in found.excluded] == excluded


def test_verbs_that_count_references_as_systems_say_so():
    columns = make_with_reference()
    for find in (evenhand.estimate_components, evenhand.compare_models):
        told = [str(one) for one in find(evenhand.read(pl.DataFrame(columns))).notes]
        assert [one for one in told if "refA" in one and "--without refA" in one]
    others = evenhand.estimate_components(pl.DataFrame(leave_out_rows(columns, "refA")))
    assert not any("references" in str(one) for one in others.notes)


def test_references_that_nothing_links_to_systems_are_not_shown_and_that_is_said():
    columns = make()
    for name, value in {"judge": "z", "item": "z", "system": "refA", "score": 60.0}.items():
        columns[name] = [*columns[name], value]
    ranking = rank(columns)
    assert (len(ranking.systems), ranking.references) == (K, ())
    assert "references are not shown beside the systems: no judge or item links" in ranking.notes[0]


def test_systems_that_no_judge_and_no_item_link_are_refused_by_name():
    columns = {
        "judge": ["a", "a", "b", "b"] * 3,
        "item": ["1", "1", "2", "2"] * 3,
        "system": ["x", "y", "v", "w"] * 3,
        "score": list(range(12)),
    }
    with pytest.raises(NotIdentified, match=r"links \{v, w\} and \{x, y\}.*--model mean"):
        rank(columns)
    assert set(rank(columns, model="mean").systems) == {"v", "w", "x", "y"}


def on_their_own(groups, judges=8, items=9):
    """Return scores of groups of systems, each by its own judges on its own items."""
    rng = np.random.default_rng(8)
    rows = [
        (f"j{g}-{j}", f"i{g}-{i}", system, float(np.clip(round(rng.normal(4, 1) + g), 1, 7)))
        for g, systems in enumerate(groups)
        for j in range(judges)
        for i in range(items)
        for system in systems
    ]
    return dict(zip(("judge", "item", "system", "score"), zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize("groups", [["ab", "cd"], ["a", "b"]])
@pytest.mark.parametrize("model", ["mean", "z", "ordinal"])
@pytest.mark.parametrize("options", [{}, {"interval": "model"}])
def test_systems_that_nothing_links_are_compared_by_no_model(groups, model, options):
    columns = on_their_own(groups)
    ranking = rank(columns, model=model, **options)
    for one, other in product(*groups):
        i, j = ranking.systems.index(one), ranking.systems.index(other)
        assert ranking.decided[i, j] == ranking.decided[j, i] == 0
    note = ranking.document().shown[0]
    assert (note.code, note.severity) == ("unlinked", "warning")
    if model != "z":
        with pytest.raises(NotIdentified) as refused:
            rank(columns)
        assert str(refused.value).lower().startswith(note.values["cause"].lower())
    if not options and len(groups[0]) == 1:
        assert "cannot be compared: the pair between them rests on different judges" in ranking.says


def test_judges_taken_as_drawn_at_random_compare_systems_they_do_not_share():
    columns = on_their_own(["a", "b"])
    ranking = rank(columns, model="mixed")
    assert ranking.decided.any()
    note = ranking.document().shown[0]
    assert (note.code, note.severity) == ("unlinked-random", "warning")
    # one judge of each system: nothing shows how far two judges differ
    alone = rank(on_their_own(["a", "b"], judges=1, items=80), model="mixed")
    assert not alone.decided.any()
    assert alone.document().shown[0].code == "unlinked"


def test_what_links_systems_depends_on_the_model():
    columns = on_their_own(["a", "b"])
    alike = columns | {"item": [one.partition("-")[2] for one in columns["item"]]}
    assert rank(alike).decided.any()
    # judges of one system each link no z-scores, whatever the items
    assert rank(alike, model="z").document().shown[0].code == "unlinked"
    # one score by each judge is a sample like any other
    columns["judge"] = [f"j{at}" for at in range(len(columns["judge"]))]
    del columns["item"]
    assert rank(columns).decided.any()


def test_no_test_of_scores_decides_between_systems_that_nothing_links():
    result = evenhand.find_differences(evenhand.read(pl.DataFrame(on_their_own(["a", "b"]))))
    assert not result.decided.any()
    assert result.says.startswith("No pair can be decided: systems were rated by different judges")


def test_judges_who_saw_one_system_each_are_not_removed_and_it_is_said():
    columns = make()
    columns["judge"] = [
        f"{j} of {s}" for j, s in zip(columns["judge"], columns["system"], strict=True)
    ]
    ranking = rank(columns)
    assert any(one.code == "not-removed" for one in ranking.notes)


@pytest.mark.parametrize("model", ["adjusted", "mean", "z", "mixed", "ordinal"])
def test_scores_that_show_nothing_are_refused_in_one_sentence(model):
    columns = make()
    with pytest.raises(NotIdentified, match=r"^all scores are equal: there is nothing to rank by$"):
        rank(columns | {"score": [3.0] * 400}, model=model)
    if model == "adjusted":
        with pytest.raises(NotIdentified, match="do not vary"):
            rank(columns | {"score": [float(name[-1]) for name in columns["system"]]})
        with pytest.raises(NotIdentified, match="one system only"):
            rank(columns | {"system": ["x"] * 400})
    if model == "z":
        with pytest.raises(NotIdentified, match=r"one score only.*--without a"):
            rank(columns | {"judge": ["a"] + ["b"] * 399}, model=model)


def test_what_is_of_comparisons_is_refused():
    for options in ({"judge_cap": "median"}, {"model": "plackett-luce"}, {"interval": "bootstrap"}):
        with pytest.raises(UnknownOption):
            rank(make(), **options)
    with pytest.raises(UnknownOption, match="ratings"):
        evenhand.rank(
            evenhand.read(pl.DataFrame({"left": ["a"], "right": ["b"], "outcome": ["left"]})),
            criterion="fluency",
        )


def test_groups_on_other_items_are_adjusted_for_their_judges_alone_with_a_warning():
    columns = make()
    groups = ["heard" if one in ("system-0", "system-1") else "read" for one in columns["system"]]
    columns["item"] = [f"{g} {i}" for g, i in zip(groups, columns["item"], strict=True)]
    ranking = rank(columns)
    (note,) = [one for one in ranking.notes if one.code == "other-items"]
    assert note.severity == "warning"
    assert "{system-0, system-1}" in note
    # items of one system count where differences of items are not removed
    columns["item"][0] = "an item of one system"
    assert not any(one.code == "one-system" for one in rank(columns).notes)
    del columns["item"]
    alone = rank(columns)
    assert np.allclose(ranking.estimate, alone.estimate)


def test_methods_stand_side_by_side_and_wmt_draws_lines_by_rank_sums():
    stats = pytest.importorskip("scipy.stats")
    columns = make()
    found = evenhand.compare_methods(evenhand.read(pl.DataFrame(columns)))
    assert found.methods == ("adjusted", "mean", "z", "mixed", "wmt-da")
    assert not found.refused
    frame = pl.DataFrame(columns).with_columns(
        z=((pl.col("score") - pl.col("score").mean()) / pl.col("score").std(ddof=1)).over("judge")
    )
    outputs = frame.group_by("item", "system").agg(pl.col("z").mean())
    scores = found.scores["wmt-da"]
    values = {name: outputs.filter(pl.col("system") == name)["z"] for name in scores.systems}
    assert np.allclose(scores.values, [values[name].mean() for name in scores.systems])
    order = scores.order
    better = [
        [
            stats.mannwhitneyu(
                values[a], values[b], alternative="greater", method="asymptotic"
            ).pvalue
            < 0.05
            for b in order
        ]
        for a in order
    ]
    cluster = dict(zip(scores.systems, scores.cluster.tolist(), strict=True))
    for at in range(1, K):
        line = all(better[i][j] for i in range(at) for j in range(at, K))
        assert (cluster[order[at]] > cluster[order[at - 1]]) == line


def test_a_system_that_one_judge_alone_scored_stays_open_and_the_others_are_decided():
    rows = [row for row in make_rows() if row["system"] != "good" or row["judge"] == "j0"]
    ranking = rank(pl.DataFrame(rows))
    place = ranking.systems.index("good")
    assert not ranking.decided[place].any()
    assert ranking.undecidable_pairs.tolist() == [2, 1, 1]
    assert ranking.rows()[place]["lower"] is None
    others = [ranking.systems.index(name) for name in ("fair", "poor")]
    assert ranking.decided[others[0], others[1]] == 1
    told = {one.code: str(one) for one in ranking.notes}
    assert "distances to the mean of these 2" in told["no-interval-of-scores"]


def test_one_judge_speaks_of_this_judge_only_and_nobody_of_independent_ratings():
    ranking = rank(pl.DataFrame(make_rows(judges=1, items=40)))
    assert ranking.headline == "for this judge only"
    assert [way.name for way in ranking.ways] == ["item"]
    ranking = rank(pl.DataFrame(make_rows()).drop("judge", "item"))
    assert [way.name for way in ranking.ways] == ["judgment"]
    assert "no-judges-nor-items" in [one.code for one in ranking.notes]


def test_lines_of_wmt_are_by_one_sided_tests():
    # U = 4 of 5 and 5 outputs: P = .048 one-sided (Mann & Whitney 1947, table 1), .095 two-sided
    scores = {"high": [5, 6, 7, 8, 10], "low": [1, 2, 3, 4, 9]}
    rows = [("ann", f"i{at}", name, one) for name in scores for at, one in enumerate(scores[name])]
    frame = pl.DataFrame(rows, ["judge", "item", "system", "score"], orient="row")
    found = evenhand.compare_methods(evenhand.read(frame), methods="wmt-da").scores["wmt-da"]
    assert dict(zip(found.systems, found.cluster.tolist(), strict=True)) == {"high": 1, "low": 2}


def balanced(unit=1.0):
    """Nine judges score three systems on ten items, and a fourth whose outputs equal the second."""
    rng = np.random.default_rng(3)
    j, i, k = (part.ravel() for part in np.meshgrid(range(9), range(10), range(3), indexing="ij"))
    taste, output = rng.normal(0, 2, (9, 3)), rng.normal(0, 2, (10, 3))
    score = 60 + 3 * k + 5 * rng.normal(size=9)[j] + taste[j, k] + output[i, k]
    score = np.round(score + rng.normal(0, 3, len(j)))
    columns = {
        "judge": [f"judge-{one}" for one in j],
        "item": [f"item-{one}" for one in i],
        "system": [f"system-{one}" for one in k],
        "score": (unit * score).tolist(),
    }
    copied = np.flatnonzero(k == 1)
    more = {name: [values[one] for one in copied] for name, values in columns.items()}
    more["system"] = ["copy"] * 90
    return {name: values + more[name] for name, values in columns.items()}


def jackknife_balanced(columns, one, other):
    """Return V of the difference of two systems in closed form, all of which is balanced."""
    part = {
        s: np.array(columns["score"])[np.array(columns["system"]) == s].reshape(9, 10)
        for s in sorted({*columns["system"]})
    }
    apart = part[one] - part[other]
    by_judge, by_item = (apart.mean(axis=at).var(ddof=1) / apart.shape[1 - at] for at in (1, 0))
    table = np.stack([*part.values()])  # systems, judges, items
    rest = table - table.mean(axis=(0, 2))[:, None] - table.mean(axis=(0, 1)) + table.mean()
    rest -= rest.mean(axis=(1, 2), keepdims=True)
    names, n = [*part], table.size
    cells = rest[names.index(one)] - rest[names.index(other)]
    of_cells = (cells**2).sum() / 90**2 * n / (n - (len(names) + 9 + 10 - 2))
    return max(by_judge, by_item, by_judge + by_item - of_cells)


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e6])
def test_two_systems_with_the_same_scores_do_not_undo_the_clusters_of_others(unit):
    """Their pair is undecided and shares a place; errors of all others are as without them."""
    columns = balanced(unit)
    ranking = rank(columns)
    assert [way.name for way in ranking.ways] == ["judge", "item"]
    for pair in ranking.pairs():
        one, other = pair["first"], pair["second"]
        i, j = (ranking.systems.index(name) for name in (one, other))
        if {one, other} == {"copy", "system-1"}:
            assert (pair["decided"], pair["p_adjusted"]) == (False, None)
            assert ranking.rank[i] == ranking.rank[j]
        else:
            expected = jackknife_balanced(columns, one, other)
            assert ranking.pair_stderr[i, j] ** 2 == pytest.approx(expected, rel=1e-9)
            assert ranking.rank[i] != ranking.rank[j]


def on_items(places, judges=12, gap=20.0, spread=1.0):
    """Return scores of systems, each on its own items, as all judges give them."""
    rng = np.random.default_rng(5)
    cells = [(j, s, i) for j in range(judges) for s, own in places.items() for i in own]
    return {
        "judge": [f"j{j}" for j, _, _ in cells],
        "system": [s for _, s, _ in cells],
        "item": [f"item-{i}" for _, _, i in cells],
        "score": [gap * "abc".index(s) + spread * float(rng.normal()) for _, s, _ in cells],
    }


@pytest.mark.parametrize("model", ["adjusted", "mean", "z"])
def test_systems_on_different_items_that_nothing_accounts_for_are_undecided(model):
    # the gap is 20 standard deviations of a score, and may be one of the items
    columns = on_items({"a": [0, 1], "b": [2, 3], "c": [4]})
    ranking = rank(columns, model=model)
    assert not ranking.decided.any()
    assert ranking.rank_sets.apart.sum() == 6
    assert "rest on different items" in ranking.says
    found = [one for one in ranking.notes if one.code == "different-items"]
    assert [one.values["pairs"] for one in found] == [3]
    assert "Have all systems rated on the same items." in found[0]
    assert all(row["p_adjusted"] is None for row in ranking.pairs())
    # whoever takes items as equal can still say so
    assert rank(columns, model=model, cluster="judge").decided.any()


def test_few_items_that_all_systems_share_still_decide_for_these_items_only():
    shared = rank(on_items(dict.fromkeys("abc", range(3))))
    assert shared.decided[0, 1:].all()
    assert shared.headline == "for these 3 items only"
    # of two on the same items the pair is decided, the third stands apart
    some = rank(on_items({"a": [0, 1], "b": [0, 1], "c": [4]}))
    place = {name: some.systems.index(name) for name in "abc"}
    assert some.decided[place["b"], place["a"]] == 1
    assert not some.decided[place["c"]].any()
    # every rating on an item of its own: judges alone cluster, and items are part of their spread
    own = on_items({"a": [0], "b": [1]})
    own["item"] = [str(at) for at in range(len(own["item"]))]
    assert rank(own).decided.any()


def test_a_test_of_scores_decides_no_pair_on_different_items_either():
    data = evenhand.read(pl.DataFrame(on_items({"a": [0, 1], "b": [2, 3], "c": [4]})))
    result = evenhand.find_differences(data)
    assert not result.decided.any()
    assert result.says.startswith("No pair can be decided: systems were rated on different items.")


@pytest.mark.parametrize(("first", "noted"), [(60, False), (100, True)])
def test_eight_judges_who_count_like_almost_eight_are_not_told_that_eight_are_enough(first, noted):
    # one of eight judges gives `first` scores and the others 40 each: (Σ n)² / Σ n² = 7.7 or 6.8
    rng = np.random.default_rng(3)
    judge = np.repeat(np.arange(8), [first, *[40] * 7])
    n = len(judge)
    loads = np.bincount(judge)
    effective = loads.sum() ** 2 / (loads**2).sum()
    assert (effective < 7.5) == noted
    columns = {
        "judge": [f"j{one}" for one in judge],
        "item": [f"i{one}" for one in rng.integers(0, 20, n)],
        "system": [f"s{one}" for one in rng.integers(0, 3, n)],
        "score": rng.normal(size=n).tolist(),
    }
    codes = [one.code for one in rank(columns).notes]
    assert ("few-judges-with-items" in codes or "few-judges" in codes) == noted


def test_models_whose_errors_are_of_rows_say_that_copies_are_not_independent():
    """A score of an output of two systems counts for both."""
    rng = np.random.default_rng(1)
    names = [(judge, i, one) for judge in "abcdefg" for i in range(12) for one in ("A+B", "C", "D")]
    judge, item, system = map(list, zip(*names, strict=True))
    score = rng.integers(1, 6, len(names)).tolist()
    table = {"judge": judge, "item": item, "system": system, "score": score}
    for sign, model, said in (
        ("+", "mixed", True),
        ("+", "adjusted", False),
        ("~", "mixed", False),
    ):
        found = evenhand.rank(evenhand.read(table, system_separator=sign), model=model)
        assert ("copies-independent" in {one.code for one in found.notes}) == said


def test_scores_in_a_column_of_penalties_are_better_where_they_are_lower(tmp_path):
    noise = np.random.default_rng(2).integers(0, 3, 144).tolist()
    rows = [
        f"{judge},{item},{system},{points + noise.pop()}"
        for judge in "abcdef"
        for item in range(12)
        for system, points in (("good", 1), ("bad", 5))
    ]
    (tmp_path / "p.csv").write_text("judge,item,system,penalty\n" + "\n".join(rows))
    table = evenhand.read(str(tmp_path / "p.csv"), columns={"score": "penalty"})
    found = evenhand.rank(table)
    assert (found.systems[0], found.lower_is_better) == ("good", True)
    assert evenhand.rank(table, lower_is_better=False).systems[0] == "bad"
    # the direction and the signature outlive a copy under our own names
    again = evenhand.rank(evenhand.read(write(table, tmp_path / "w.csv")))
    assert (again.systems, again.lower_is_better) == (found.systems, True)
    assert again.to_dict()["signature"] == found.to_dict()["signature"]


def test_few_documents_leave_items_as_clusters():
    """Where documents are too few to cluster by, items are not left out with them."""
    rng = np.random.default_rng(4)
    cells = [
        (j, i, s) for j in range(12) for i in range(20) for s in range(4) if rng.random() < 0.4
    ]
    judge, item, system = map(np.array, zip(*cells, strict=True))
    taste, noise = rng.normal(0, 0.8, (20, 4)), rng.normal(0, 1, len(cells))
    columns = {
        "judge": [f"j{one}" for one in judge],
        "item": [f"i{one}" for one in item],
        "system": [f"s{one}" for one in system],
        "score": (taste[item, system] + noise).tolist(),
    }
    bare = rank(columns)
    ranking = rank({**columns, "document": [f"d{one // 5}" for one in item]})
    assert [way.name for way in ranking.ways] == ["judge", "item"]
    assert np.array_equal(ranking.decided, bare.decided)
    assert np.array_equal(ranking.stderr, bare.stderr)
    assert "few-documents" in {note.code for note in ranking.notes}


@pytest.mark.parametrize(("judges", "whom"), [(6, "these 6 judges"), (1, "this judge")])
def test_clusters_of_items_alone_speak_of_these_judges(judges, whom):
    rng = np.random.default_rng(5)
    cells = [(j, i, s) for j in range(judges) for i in range(30) for s in "xy"]
    columns = dict(
        zip(("judge", "item", "system"), map(list, zip(*cells, strict=True)), strict=True)
    )
    columns = {name: [str(one) for one in values] for name, values in columns.items()}
    columns["score"] = rng.normal(0, 1, len(cells)).tolist()
    ranking = rank(columns, cluster="item")
    assert ranking.headline == f"for {whom} only"


@pytest.mark.parametrize(("model", "documents"), [("mixed", 4), ("adjusted", 1)])
def test_documents_that_no_interval_accounts_for_are_said(model, documents):
    columns = make()
    columns["document"] = [
        f"d{int(one.removeprefix('item-')) % documents}" for one in columns["item"]
    ]
    found = {note.code: note.values for note in rank(columns, model=model).notes}
    assert found["documents-unused"]["documents"] == documents
    biases = evenhand.find_rating_bias(evenhand.read(pl.DataFrame(columns)))
    assert "documents-unused" in {note.code for note in biases.notes}


def test_coefficients_of_penalties_say_that_lower_is_better():
    rows = evenhand.read(pl.DataFrame(make(criterion=["errors"] * 400))).rows()
    fitted = FittedRatings(evenhand.Adjusted().fit(rows), rows)
    assert fitted.document().basis.endswith("Lower scores are better.")
    assert fitted.to_dict()["lower_is_better"]


@pytest.mark.parametrize("way", ["judge", "item"])
def test_errors_by_cluster_are_close_to_leaving_each_cluster_out_by_a_refit(way):
    ratio = beside_refits(make(), way)
    assert np.allclose(ratio, 1, rtol=0.03)

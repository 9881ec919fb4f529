"""`meta_evaluate`: laws, what is found beside people's scores, clusters, people's own limits."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, t

import evenhand
from evenhand import meta_evaluate
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.metrics import statistics as measures
from evenhand.render.latex import render_latex
from evenhand.render.markup import render_markdown

K, S, J = 8, 40, 10
SYSTEMS = [f"s{k}" for k in range(K)]


def make(seed=1, noise=(0.5, 1.5, 4.0), *, systems=K, items=S):
    """Ratings by judges, and scores of metrics that agree less and less with them."""
    rng = np.random.default_rng(seed)
    h = 0.6 * rng.normal(size=(systems, 1)) + rng.normal(size=(1, items))
    h = h + 0.7 * rng.normal(size=(systems, items))
    people = {"judge": [], "item": [], "system": [], "score": []}
    for s in range(items):
        for k in range(systems):
            for j in rng.choice(J, 2, replace=False).tolist():
                people["judge"].append(f"j{j}")
                people["item"].append(f"i{s}")
                people["system"].append(f"s{k}")
                people["score"].append(round(60 + 12 * h[k, s] + 6 * rng.normal()))
    scores = {
        "item": [f"i{s}" for s in range(items) for _ in range(systems)],
        "system": [f"s{k}" for k in range(systems)] * items,
    }
    for at, one in enumerate(noise):
        m = h + one * rng.normal(size=h.shape)
        scores[f"m{at}"] = m.T.ravel().tolist()
    return people, scores


@pytest.fixture(scope="module")
def tables():
    return make()


@pytest.fixture(scope="module")
def found(tables):
    return meta_evaluate(*tables)


def values(found):
    return {
        (name, metric): float(v)
        for name, one in found.values.items()
        for metric, v in zip(found.metrics, one, strict=True)
    }


def test_ways_to_write_the_same_scores_give_the_same_numbers(tables, found, tmp_path):
    people, scores = tables
    names = ("m0", "m1", "m2")
    long = {
        "metric": [name for name in names for _ in scores["item"]],
        "item": scores["item"] * 3,
        "system": scores["system"] * 3,
        "score": [one for name in names for one in scores[name]],
    }
    by_name = {
        name: {"item": scores["item"], "system": scores["system"], name: scores[name]}
        for name in names
    }
    lines = tmp_path / "scores.jsonl"
    rows = (dict(zip(long, row, strict=True)) for row in zip(*long.values(), strict=True))
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    of_cell = {
        (i, s): at for at, (i, s) in enumerate(zip(scores["item"], scores["system"], strict=True))
    }
    places = [of_cell[c] for c in zip(people["item"], people["system"], strict=True)]
    beside = tmp_path / "beside.csv"
    columns = {**people, **{name: [scores[name][at] for at in places] for name in names}}
    text = [
        ",".join(columns),
        *(",".join(map(str, r)) for r in zip(*columns.values(), strict=True)),
    ]
    beside.write_text("\n".join(text) + "\n", "utf-8")
    for other in (
        meta_evaluate(people, long),
        meta_evaluate(people, by_name),
        meta_evaluate(people, lines),
        meta_evaluate(beside),
    ):
        assert other.metrics == found.metrics
        assert values(other) == pytest.approx(values(found), abs=1e-9)
        assert other.cluster == found.cluster


def test_renaming_and_reversing_systems_changes_no_number(tables, found):
    people, scores = tables
    new = {name: f"x{K - at}" for at, name in enumerate(SYSTEMS)}
    renamed = [
        {**table, "system": [new[name] for name in table["system"]]} for table in (people, scores)
    ]
    other = meta_evaluate(*renamed)
    assert values(other) == pytest.approx(values(found), abs=1e-12)
    assert [one.p for one in other.pairs] == pytest.approx([one.p for one in found.pairs])


def test_people_as_a_metric_agree_with_themselves(tables):
    people, scores = tables
    mean = {}
    for i, s, v in zip(people["item"], people["system"], people["score"], strict=True):
        mean.setdefault((i, s), []).append(v)
    own = [np.mean(mean[c]) for c in zip(scores["item"], scores["system"], strict=True)]
    found = meta_evaluate(people, {**scores, "own": own})
    assert found.metrics[0] == "own"
    for name in ("spa", "pa", "system-pearson", "acc-eq", "acc-eq-star", "segment-pearson"):
        assert found.values[name][0] == pytest.approx(1.0)


def test_soft_accuracy_by_the_authors_rule_depends_on_the_order_of_systems_and_ours_does_not():
    people = {"system": list("aabbcc"), "item": [1, 2] * 3, "score": [1, 2, 1, 2, 3, 3]}
    metric = {"system": list("aabbcc"), "item": [1, 2] * 3, "m": [5.0, 5.0, 5.0, 4.0, 9.0, 8.0]}
    swapped = [
        {**one, "system": ["b", "b", "a", "a", "c", "c"]} for one in (people, metric)
    ]  # a and b change names
    ours = [meta_evaluate(*t, statistics=["spa"]) for t in ((people, metric), swapped)]
    theirs = [meta_evaluate(*t, statistics=["spa"], spa="wmt") for t in ((people, metric), swapped)]
    assert ours[0].values["spa"][0] == pytest.approx(ours[1].values["spa"][0], abs=1e-12)
    assert abs(theirs[0].values["spa"][0] - theirs[1].values["spa"][0]) > 0.05


@pytest.mark.parametrize("test", ["perm-sys", "perm-both", "boot-both", "williams"])
def test_every_test_tells_a_good_metric_from_noise(test):
    people, scores = make(3, (0.2, 30.0), systems=12)
    found = meta_evaluate(people, scores, statistics=["system-pearson"], test=test)
    assert found.pairs[0].first == "m0"
    assert found.pairs[0].p < 0.05


def test_what_lies_under_noise_is_said():
    people, scores = make(5, (0.3, 300.0))
    found = meta_evaluate(people, scores)
    by_code = {one.code: one for one in found.notes}
    assert by_code["below-chance"].values["metrics"] == ["m1"]


def test_lines_stand_where_every_pair_across_is_decided():
    people, scores = make(2, (0.1, 0.12, 20.0, 22.0), systems=12, items=60)
    found = meta_evaluate(people, scores, statistics=["acc-eq"])
    assert found.cluster == (1, 1, 2, 2)
    assert found.clusters == (("m0", "m1"), ("m2", "m3"))
    assert found.wmt_rank == (1, 1, 2, 2)
    document = found.document()
    assert document.tables[0].lines == (2,)
    assert "\\midrule" in render_latex(document)
    assert "m0" in render_markdown(document)


@pytest.mark.parametrize("statistic", ["system-pearson", "spa"])
def test_a_constant_metric_is_named_and_the_others_are_tested(tables, statistic):
    people, scores = tables
    mixed = {**scores, "flat": [7.0] * len(scores["m0"])}
    asked = {"statistics": [statistic]}
    found, alone = meta_evaluate(people, mixed, **asked), meta_evaluate(people, scores, **asked)
    assert (found.metrics[-1], found.cluster[-1], found.wmt_rank[-1]) == ("flat", None, None)
    assert found.cluster[:-1] == alone.cluster
    assert [one.to_dict() for one in found.pairs] == [one.to_dict() for one in alone.pairs]
    (note,) = [one for one in found.notes if one.code == "constant"]
    assert "--without metric=flat" in note
    assert "undefined" not in {one.code for one in found.notes}
    assert found.clusters == alone.clusters
    assert "flat" not in found.document().answer[0]
    assert found.plot("pairs").axes
    assert "constant" in {one.code for one in meta_evaluate(people, mixed, level="system").notes}
    assert "constant" not in {one.code for one in alone.notes}
    flat = {**{name: scores[name] for name in ("system", "item")}, "flat": mixed["flat"]}
    assert meta_evaluate(people, flat, **asked).document().answer == ()


def test_a_constant_metric_is_not_compared_by_preferences_and_does_not_lead(tables):
    votes, scores = compare()
    found = meta_evaluate(votes, {**scores, "flat": [1.0] * len(scores["good"])})
    assert found.metrics == ("good", "noise", "flat")
    assert [(one.first, one.second) for one in found.pairs] == [("good", "noise")]
    people, scores = tables
    turned = {**scores, **{name: [-one for one in scores[name]] for name in ("m0", "m1", "m2")}}
    against = meta_evaluate(people, {**turned, "flat": [1.0] * len(scores["m0"])})
    assert against.metrics[-1] == "flat"
    assert "gold-against" in {one.code for one in against.notes}


def make_decided(found, decided):
    pairs = tuple(replace(one, decided=(one.first, one.second) in decided) for one in found.pairs)
    return replace(found, pairs=pairs, cluster=(1, 1, 1)).document().answer[0]


def test_only_metrics_that_no_other_beats_share_first_place(found):
    shared = make_decided(found, [("m0", "m2")])
    no_other = "No metric is significantly better than m0 or m1 by SPA (1 of 3 pairs decided)."
    assert shared == no_other
    none = "No metric is significantly better than another by SPA (0 of 3 pairs decided)."
    assert make_decided(found, []) == none
    alone = make_decided(found, [("m0", "m2"), ("m1", "m2")])
    assert "m2" not in alone
    open_first = make_decided(found, [("m0", "m1"), ("m1", "m2")])
    assert open_first == "m0 has the highest SPA, but is not significantly better than m2."


def test_where_nothing_is_tested_the_headline_says_so():
    found = meta_evaluate(*make(1, (0.5, 3.0), systems=2))
    assert "differences were not tested" in found.document().answer[0]


def test_a_metric_is_left_out_by_name(tables, found):
    people, scores = tables
    other = meta_evaluate(people, {**scores, "bad": [1.0] * len(scores["m0"])}, without=["bad"])
    assert values(other) == values(found)
    assert "without bad" in other.signature
    with pytest.raises(InvalidJudgments, match="no metric 'm9'"):
        meta_evaluate(people, scores, without=["m9"])
    with pytest.raises(InvalidJudgments, match="no metric is left"):
        meta_evaluate(people, scores, without=["m0", "m1", "m2"])


def test_few_systems_are_not_tested_and_perm_both_speaks_of_these_alone():
    people, scores = make(1, (0.5, 3.0), systems=4)
    found = meta_evaluate(people, scores)
    assert found.cluster is None
    assert "few-systems" in {one.code for one in found.notes}
    other = meta_evaluate(people, scores, statistics=["pa"], test="perm-both")
    assert other.pairs
    assert "these-systems" in {one.code for one in other.notes}


@pytest.mark.parametrize("test", ["perm-both", "boot-both", "williams"])
def test_a_test_that_is_asked_for_orders_by_a_statistic_that_has_it(tables, test):
    votes, of_votes = compare()
    for people, scores in (tables, (votes, of_votes)):
        found = meta_evaluate(people, scores, test=test)
        assert found.statistic == ("system-pearson" if test == "williams" else "pa")
        assert found.pairs
        assert test in found.signature
        assert ("these-systems" in {one.code for one in found.notes}) == (test == "perm-both")
    with pytest.raises(UnknownOption, match=f"{test} .* SPA: pass --statistic pearson --level sys"):
        meta_evaluate(*tables, statistics=["spa"], test=test)
    named = {"statistics": ["pearson"], "level": "system"}
    assert meta_evaluate(*tables, **named, test=test).pairs


@pytest.mark.parametrize(
    ("wish", "statistic", "where"),
    [
        ({"spa": "wmt"}, "pa", "--spa wmt applies to SPA alone, and computed are pa: leave it out"),
        ({"group": "none"}, "spa", "--group none applies to statistics of segments alone"),
        ({"group": "system"}, "pa", "--group system applies to statistics of segments alone"),
    ],
)
def test_settings_that_no_statistic_has_are_refused(wish, statistic, where, tables):
    with pytest.raises(UnknownOption, match=where):
        meta_evaluate(*tables, statistics=[statistic], **wish)
    meta_evaluate(*tables, statistics=[statistic, "spa", "tau-c"], **wish)


def test_judges_move_the_gold_and_halves_are_the_ceiling(found):
    assert found.judges == J
    assert (found.judge_stderr > 0).all()
    assert 0.5 < found.ceiling["acc-eq"] < 1
    assert found.pairs[0].judge_stderr > 0


def test_lower_scores_of_people_and_of_metrics_are_negated_and_named(tables, found):
    people, scores = tables
    penalties = {**people, "score": [200 - one for one in people["score"]]}
    penalties["criterion"] = ["mqm_penalty"] * len(people["score"])
    low = min(-one for one in scores["m2"])
    ter = {**scores, "ter": [-one - low for one in scores["m2"]]}
    del ter["m2"]
    other = meta_evaluate(penalties, ter)
    assert {"gold-negated", "metric-negated"} <= {one.code for one in other.notes}
    assert other.metrics == ("m0", "m1", "ter")
    assert sorted(values(other).values()) == pytest.approx(sorted(values(found).values()), abs=1e-9)


@pytest.mark.parametrize("shift", [-60.0, 0.0, 1.0])
def test_error_rates_are_negated_by_their_mean_not_by_their_least_score(tables, shift):
    people, scores = tables
    rates = [40 - 10 * one for one in scores["m0"]]
    given = {**scores, "ter": [one + shift * 40 / abs(shift or 1) for one in rates]}
    if shift < 0:  # negated before
        given["ter"] = [-abs(one) for one in rates]
    else:
        given["ter"][0] = -5.0
    found = meta_evaluate(people, given, statistics=["system-pearson"])
    assert ("metric-negated" in {one.code for one in found.notes}) == (shift >= 0)
    assert dict(zip(found.metrics, found.values["system-pearson"], strict=True))["ter"] > 0.5


def test_penalties_of_people_do_not_blame_the_metrics_and_the_remedy_works(tables, found):
    people, scores = tables
    penalties = {**people, "score": [200 - one for one in people["score"]]}
    penalties["criterion"] = ["mqm"] * len(people["score"])
    blamed = {one.code: one for one in meta_evaluate(penalties, scores).notes}
    assert "--better lower" in blamed["gold-against"]
    assert "against" not in blamed
    right = meta_evaluate(penalties, scores, lower_is_better=True)
    assert values(right) == pytest.approx(values(found), abs=1e-9)
    assert not {"against", "gold-against"} & {one.code for one in right.notes}
    turned = meta_evaluate(people, scores, lower_is_better=True).notes
    assert any("--better higher" in one for one in turned)


def test_a_second_protocol_is_another_criterion_of_the_table(tables):
    people, _ = tables
    n = len(people["score"])
    rng = np.random.default_rng(0)
    both = {name: column * 2 for name, column in people.items()}
    both["score"] = people["score"] + [round(one + 9 * rng.normal()) for one in people["score"]]
    both["criterion"] = ["mqm"] * n + ["esa"] * n
    found = meta_evaluate(both, criterion="mqm")
    assert (found.gold, found.metrics) == ("mqm", ("esa",))
    assert found.values["pa"][0] > 0.8
    assert found.excluded == ()
    both["criterion"] = ["mqm"] * n + ["esa errors"] * n
    both["score"] = both["score"][:n] + [200 - one for one in both["score"][n:]]
    turned = meta_evaluate(both, criterion="mqm")
    assert values(turned)["pa", "esa errors"] == values(found)["pa", "esa"]
    (note,) = [one for one in turned.notes if one.code == "metric-negated"]
    assert note.values["metrics"] == ["esa errors"]


def test_references_without_scores_are_excluded_from_all_counts(tables):
    people, scores = tables
    new = {"s7": "refA"}
    named = {**people, "system": [new.get(one, one) for one in people["system"]]}
    kept = [at for at, one in enumerate(people["system"]) if one != "s7"]
    alone = {name: [column[at] for at in kept] for name, column in people.items()}
    rows = [at for at, one in enumerate(scores["system"]) if one != "s7"]
    without = {name: [column[at] for at in rows] for name, column in scores.items()}
    found, expected = meta_evaluate(named, without), meta_evaluate(alone, without)
    assert values(found) == values(expected)
    (excluded,) = found.excluded
    assert (excluded.rows, excluded.of_rows) == (len(people["system"]) - len(kept), 640)
    assert excluded.system_names == ("refA",)
    assert f"n={len(kept)}" in found.signature
    assert f"n={len(kept)}" in expected.signature
    assert "1 of 8 systems" in found.signature


def test_several_tasks_are_compared_apart(tables):
    people, scores = tables
    two = {name: column * 2 for name, column in people.items()}
    two["task"] = ["de"] * len(people["item"]) + ["fr"] * len(people["item"])
    own = {name: column * 2 for name, column in scores.items()}
    own["task"] = ["de"] * len(scores["item"]) + ["fr"] * len(scores["item"])
    found = meta_evaluate(two, own)
    assert [*found] == ["de", "fr"]
    assert values(found["de"]) == pytest.approx(values(found["fr"]))


def test_a_metric_without_the_first_statistic_is_named_and_stands_last(tables):
    # within each item all systems have the same score: no correlation is defined
    people, scores = tables
    level = [float(one[1:]) for one in scores["item"]]
    asked = {"statistics": ["segment-pearson"], "group": "item"}
    found = meta_evaluate(people, {**scores, "easy": level}, **asked)
    (note,) = [one for one in found.notes if one.code == "undefined"]
    assert note.values["metrics"] == ["easy"]
    assert found.metrics[-1] == "easy"


def compare(seed=4, n=400):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1.5, 6)
    h = quality[:, None] + rng.normal(size=(6, 30))
    rows = []
    for _ in range(n):
        a, b = rng.choice(6, 2, replace=False)
        s, j = int(rng.integers(30)), int(rng.integers(8))
        gap = h[a, s] - h[b, s] + 0.5 * rng.normal()
        outcome = "tie" if abs(gap) < 0.3 else "left" if gap > 0 else "right"
        rows.append((f"j{j}", f"i{s}", f"s{a}", f"s{b}", outcome))
    names = ("judge", "item", "left", "right", "outcome")
    votes = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    scores = {"item": [f"i{s}" for _ in range(6) for s in range(30)]}
    scores["system"] = [f"s{k}" for k in range(6) for _ in range(30)]
    scores["good"] = (h + 0.2 * rng.normal(size=h.shape)).ravel().tolist()
    scores["noise"] = rng.normal(size=h.size).tolist()
    return votes, scores


def test_judged_preferences_are_gold_with_errors_by_item_and_judge():
    votes, scores = compare()
    found = meta_evaluate(votes, scores)
    assert found.statistic == "preference"
    assert found.metrics == ("good", "noise")
    assert found.values["preference"][0] > 0.7
    assert 0.25 < found.values["preference"][1] < 0.6
    lower, upper = found.interval[0]
    assert lower < found.values["preference"][0] < upper
    assert found.pairs[0].decided
    assert (found.items, found.judges) == (30, 8)
    assert found.test == "perm-sys"
    assert found.pairs[0].judge_stderr > 0


@pytest.mark.parametrize(("n_judges", "n_items"), [(1, 1), (2, 1), (1, 30)])
def test_few_judges_are_no_clusters_and_of_one_item_intervals_say_nothing(n_judges, n_items):
    votes, scores = compare()
    votes["judge"] = [f"j{int(one[1:]) % n_judges}" for one in votes["judge"]]
    if n_items == 1:
        votes["item"] = ["i0"] * len(votes["item"])
    found = meta_evaluate(votes, scores, statistics=["preference"])
    assert [one.code for one in found.notes].count("judges-as-given") == 1
    if n_items == 1:
        assert found.interval.tolist() == [[0, 1], [0, 1]]
    del votes["judge"]
    unnamed = meta_evaluate(votes, scores, statistics=["preference"])
    assert found.interval.tolist() == unnamed.interval.tolist()


def test_preferences_that_a_metric_always_has_right_are_binomial_by_items():
    votes = {"item": [*range(6)], "left": ["a"] * 6, "right": ["b"] * 6}
    votes["outcome"] = ["left", "right"] * 3
    scores = {"item": [*range(6)] * 2, "system": ["a"] * 6 + ["b"] * 6}
    scores |= {"good": [2.0, 1.0] * 3 + [1.0, 2.0] * 3, "bad": [1.0, 2.0] * 3 + [2.0, 1.0] * 3}
    found = meta_evaluate(votes, scores, statistics=["preference"])
    exact = binomtest(6, 6).proportion_ci().low
    assert found.interval == pytest.approx(np.array([[exact, 1], [0, 1 - exact]]))
    assert found.pairs == ()
    (note,) = [one for one in found.notes if one.code == "few-systems"]
    assert note.endswith("perm-sys needs 6 systems or more, and there are 2.")


def test_items_of_one_document_are_one_cluster_and_share_the_limit_of_ties():
    votes, scores = compare()
    document = {f"i{s}": f"d{s // 5}" for s in range(30)}
    for tasks in ({}, {"task": ["en-de"] * len(votes["item"])}):
        told = {**votes, **tasks, "doc_id": [document[one] for one in votes["item"]]}
        found = meta_evaluate(told, scores, statistics=["preference"])
        place = {
            (s, k): at
            for at, (s, k) in enumerate(zip(*[scores[n] for n in ("item", "system")], strict=True))
        }
        rows = list(
            zip(*[votes[n] for n in ("item", "left", "right", "outcome", "judge")], strict=True)
        )
        apart = np.array(
            [scores["good"][place[i, a]] - scores["good"][place[i, b]] for i, a, b, *_ in rows]
        )
        order = np.array([{"left": 1, "tie": 0, "right": -1}[one[3]] for one in rows])
        of = np.array([document[one[0]] for one in rows])
        first = [*dict.fromkeys(f"d{s // 5}" for s in sorted(range(30), key=lambda s: f"i{s}"))]
        fold = np.array([first.index(one) % 5 for one in of])  # documents as items are sorted
        agrees = np.empty(len(rows))
        for part in range(5):
            others = fold != part
            best = max(
                (
                    np.mean(
                        np.where(np.abs(apart[others]) <= e, 0, np.sign(apart[others]))
                        == order[others]
                    ),
                    -e,
                )
                for e in {0.0, *np.abs(apart[others])}
            )
            sign = np.where(np.abs(apart) <= -best[1], 0, np.sign(apart))
            agrees[~others] = (sign == order)[~others]
        assert found.values["preference"][0] == pytest.approx(agrees.mean())
        d = agrees - agrees.mean()
        judge = np.array([one[4] for one in rows])

        def spread(codes, d=d):
            sums = [d[codes == one].sum() for one in np.unique(codes)]
            return np.sum(np.square(sums)) * len(sums) / (len(sums) - 1) / len(d) ** 2

        v_j, v_d = spread(judge), spread(of)
        both = v_j + v_d - spread(np.char.add(judge, of))
        reach = t.ppf(0.975, 6 - 1) * np.sqrt(max(v_j, v_d, both))
        assert found.interval[0] == pytest.approx([agrees.mean() - reach, agrees.mean() + reach])
        assert "items by document" in found.signature
    assert "items by document" not in meta_evaluate(votes, scores).signature
    alone = meta_evaluate({**votes, "doc_id": ["d"] * len(votes["item"])}, scores)
    assert any(one.startswith("There is one document:") for one in map(str, alone.notes))


@pytest.mark.parametrize("kind", ["comparisons", "ratings"])
def test_an_item_of_two_documents_is_refused(kind):
    votes, scores = compare()
    if kind == "ratings":
        votes = {**{name: scores[name] for name in ("system", "item")}, "score": scores["good"]}
    documents = [f"d{at}" for at in np.random.default_rng(0).integers(0, 2, len(votes["item"]))]
    with pytest.raises(InvalidJudgments, match="item i0 is in two documents, d0 and d1: put the"):
        meta_evaluate({**votes, "document": documents}, scores)


def test_the_mean_limit_of_ties_is_of_the_parts_that_there_are():
    # of three items, each has the limit that is best on the other two
    people = {"system": list("abcabcabc"), "item": list("111222333"), "score": [1, 1, 2] * 3}
    metric = {**people, "m": [0.0, 0.5, 9.0] * 3}
    del metric["score"]
    assert meta_evaluate(people, metric).epsilon == pytest.approx([0.5])


def test_a_preference_of_each_pair_is_the_sign_of_the_difference():
    votes = {"item": [1, 1, 2, 2, 3, 3], "left": list("ababab"), "right": list("bababa")}
    votes["outcome"] = ["left", "right", "left", "right", "left", "left"]
    scores = {"item": [1, 1, 2, 2, 3, 3], "system": list("ababab"), "m": [2.0, 1.0] * 3}
    found = meta_evaluate(votes, scores, statistics=["preference"])
    assert found.values["preference"][0] == pytest.approx(5 / 6)


def test_rankings_and_a_ranking_are_gold_of_systems():
    votes, scores = compare()
    ranking = evenhand.rank(votes)
    found = meta_evaluate(ranking, scores)
    assert set(found.values) == {"pa", "system-pearson", "system-spearman", "system-tau-b"}
    assert found.metrics[0] == "good"
    places = {"ranking": [f"r{at // 3}" for at in range(24)], "system": ["s0", "s1", "s2"] * 8}
    places["rank"] = [1, 2, 3, 2, 1, 3, 3, 1, 2, 1, 3, 2] * 2
    of_rankings = meta_evaluate(places, scores)
    assert of_rankings.systems == ("s0", "s1", "s2")


def test_scores_of_systems_as_a_whole_are_compared_with_means(tables):
    people, _ = tables
    found = meta_evaluate(people, {"system": SYSTEMS, "m": [float(k) for k in range(K)]})
    assert set(found.values) == {"pa", "system-pearson", "system-spearman", "system-tau-b"}
    assert found.items == 0


def test_first_places_with_ties_are_as_many_as_people_give():
    # Padó et al. (2009): a system comes first in each of the items where nothing is better
    h = np.array([[3.0, 3.0, 1.0], [3.0, 2.0, 2.0], [1.0, 1.0, 2.0]])
    assert measures.tie_aware(h, 10 * h) == pytest.approx(1.0)
    # firsts by people: 2, 2, 1; by a metric with as many, 5, after its gaps 0, 0, 0, 1, 1: 3, 1, 1
    m = np.array([[9.0, 9.0, 8.0], [1.0, 8.0, 1.0], [1.0, 1.0, 9.0]])
    firsts = np.array([3.0, 1.0, 1.0])
    expected = np.corrcoef([2.5, 2.5, 1.0], [3.0, 1.5, 1.5])[0, 1]
    assert firsts.sum() == 5
    assert measures.tie_aware(h, m) == pytest.approx(expected)


def test_the_same_seed_gives_the_same_signature(tables, found):
    again = meta_evaluate(*tables)
    assert again.signature == found.signature
    assert "seed 20131" in found.signature
    assert meta_evaluate(*tables, seed=7).signature != found.signature


def test_metrics_are_negated_that_are_named_and_the_warning_says_how(tables, found):
    people, scores = tables
    turned = {**scores, "m1": [50 - one for one in scores["m1"]]}
    turned["my TER"] = [50 + one for one in turned.pop("m0")]
    (warning,) = [one for one in meta_evaluate(people, turned).notes if one.code == "against"]
    assert "pass --lower m1." in warning
    right = meta_evaluate(people, turned, lower=["m1"])
    notes = {one.code: one.values for one in right.notes}
    assert notes["metric-negated-asked"]["metrics"] == ["m1"]
    assert notes["metric-negated"]["metrics"] == ["my TER"]
    assert notes["negated-against"]["metrics"] == ["my TER"]  # whose name says so wrongly
    assert "against" not in notes
    place = right.metrics.index("m1"), found.metrics.index("m1")
    assert right.values["spa"][place[0]] == pytest.approx(found.values["spa"][place[1]])
    with pytest.raises(InvalidJudgments, match="Did you mean 'm1'"):
        meta_evaluate(people, scores, lower=["m11"])


def test_an_accuracy_without_other_documents_is_explained():
    _, scores = compare()
    people = {name: scores[name] for name in ("system", "item")} | {"score": scores["good"]}
    one = meta_evaluate({**people, "document": ["d"] * len(people["item"])}, scores)
    assert np.isnan(one.values["acc-eq"]).all()
    assert not np.isnan(one.values["acc-eq-star"]).any()
    (note,) = [each for each in one.notes if each.code == "no-accuracy"]
    assert "are of one document, or of a fifth of them" in note
    assert "no-accuracy" not in {each.code for each in meta_evaluate(people, scores).notes}

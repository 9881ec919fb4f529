"""`replace`: may an LLM judge replace a human judge?"""

from dataclasses import replace as changed

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.replacement import examine_llm, make_panel, reject, run_judge_tests
from golden_numbers import entries

NAMES = ("judge", "item", "left", "right", "winner")


def columns_of(rows, names=NAMES):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def panel_of(human, llm, *, score="accuracy", item=None):
    rows = [
        (judge, output, value)
        for judge, values in enumerate([*human, llm])
        for output, value in enumerate(values)
        if value is not None
    ]
    judge, output, value = map(np.array, zip(*rows, strict=True))
    names = (*(f"judge {at}" for at in range(len(human))), "llm")
    item = output if item is None else np.asarray(item)[output]
    labels = tuple("abcdef") if score == "accuracy" else None
    codes = (judge, output, item)
    return make_panel(names, codes, value.astype(float), ["llm"], labels, score=score)


@pytest.mark.parametrize("one", entries("alternative_annotator"), ids=lambda one: one.id)
def test_the_published_test_is_the_authors(one):
    given, expected = one.input, one.expected
    score = "accuracy" if given["score"] == "accuracy" else "rmse"
    panel = panel_of(given["human"], given["llm"], score=score)
    least = given["min_items_per_judge"]
    tests = run_judge_tests(panel, panel.verdicts["llm"], given["epsilon"], least)
    p = [test.p for test in tests]
    assert p == pytest.approx(expected["p_values"], abs=one.tolerance)
    assert reject(p, given["q"]) == expected["rejected"]
    assert np.mean(reject(p, given["q"])) == pytest.approx(expected["winning_rate"])
    near = np.mean([test.llm_closer for test in tests])
    assert near == pytest.approx(expected["advantage_probability"], abs=one.tolerance)
    for test, judge in zip(tests, expected["judges"], strict=True):
        assert test.outputs == judge["n"]
        assert test.judge_closer == pytest.approx(judge["rho_h"])


def plain(people, llm, item):
    """D and its three variances, with refits in loops: labels without gaps, all judged all."""

    def mean(people, llm, weight):
        means = []
        for one in range(len(people)):
            others = np.delete(people, one, axis=0)
            gap = (others == people[one]).sum(axis=0) - (others == llm).sum(axis=0)
            means.append((np.sign(gap) * weight).sum() / weight.sum())
        return np.array(means)

    ones, items = np.ones(people.shape[1]), np.unique(item)
    each = mean(people, llm, ones)
    whole = each.mean()
    by_judge = [
        mean(np.delete(people, one, axis=0), llm, ones).mean() for one in range(len(people))
    ]
    by_item = [mean(people, llm, (item != one).astype(float)).mean() for one in items]
    cells = 0.0
    for one in range(len(people)):
        others = np.delete(people, one, axis=0)
        gap = (others == people[one]).sum(axis=0) - (others == llm).sum(axis=0)
        rest = np.sign(gap) - each[one]
        cells += sum((rest[item == at].sum() / len(item) / len(people)) ** 2 for at in items)

    def spread(values):
        values = np.array(values)
        return (len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum()

    return whole, spread(by_judge), spread(by_item), cells


def test_difference_and_error_are_those_of_leaving_judges_and_items_out():
    rng = np.random.default_rng(2)
    truth, item = rng.integers(3, size=60), np.repeat(np.arange(20), 3)
    people = np.where(rng.random((6, 60)) < 0.7, truth, rng.integers(3, size=(6, 60)))
    llm = np.where(rng.random(60) < 0.6, truth, rng.integers(3, size=60))
    found = examine_llm(panel_of(people, llm, item=item), "", "llm", 0.1, balanced=False)
    whole, by_judge, by_item, cells = plain(people, llm, item)
    variance = max(by_judge, by_item, by_judge + by_item - cells)
    assert found.difference == pytest.approx(whole, abs=1e-12)
    assert found.stderr == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert found.df == 5
    few = examine_llm(panel_of(people[:4], llm, item=item), "", "llm", 0.1, balanced=False)
    _, by_judge, by_item, cells = plain(people[:4], llm, item)
    variance = max(by_judge, by_item, by_judge + by_item - cells)
    assert few.stderr == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert few.df == 3


def test_a_constant_answer_is_no_better_than_itself():
    rng = np.random.default_rng(3)
    people = (rng.random((5, 80)) > 0.85).astype(int)
    found = examine_llm(panel_of(people, np.zeros(80, int)), "", "llm", 0.2, balanced=False)
    assert found.over_constant == 0
    assert found.constant == "a"
    assert not found.informative


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(4)
    truth = rng.integers(1, 6, size=90)
    rows = [
        (judge, f"i{at // 3}", f"s{at % 3}", int(np.clip(truth[at] + rng.choice(moves), 1, 5)))
        for at in range(90)
        for judge, moves in (*((f"ann{one}", (-1, 0, 1)) for one in range(6)), ("gpt", (0, 0, 1)))
    ]
    rows += [("chance", f"i{at // 3}", f"s{at % 3}", int(rng.integers(1, 6))) for at in range(90)]
    return columns_of(rows, ("judge", "item", "system", "score"))


def test_ratings_of_two_llm_judges(scores):
    result = evenhand.replace(scores, llm_judges=["gpt", "chance"], epsilon=0.15)
    good, bad = result.replacements
    assert (good.passes, bad.passes) == (True, False)
    assert not result.passed
    assert (good.judges, good.items, good.outputs) == (6, 30, 90)
    assert good.p_holm == pytest.approx(min(1, 2 * good.p))  # the smaller of two
    assert good.passes_published
    assert "gpt may replace a human judge" in result.document().answer[0]
    contract = result.to_dict()
    assert [one["llm"] for one in contract["replacements"]] == ["gpt", "chance"]
    assert len(contract["replacements"][0]["published"]["judges"]) == 6

    assert [one["passes"] for one in result.document().records[:2]] == [True, False]


def test_scores_on_a_short_scale_are_refused_or_warned_of(scores):
    def rescale(of_people, of_llm):
        both = zip(scores["judge"], scores["score"], strict=True)
        changed = [of_llm(one) if who == "gpt" else of_people(one) for who, one in both]
        return {**scores, "score": changed}

    percent = rescale(lambda score: score, lambda score: 20 * score)
    with pytest.raises(NotIdentified, match=r"scores of gpt go from 20 to 100, .*1 \+ score / 25"):
        evenhand.replace(percent, llm_judges="gpt", epsilon=0.15)
    apart = rescale(lambda score: 20 * score, lambda score: score)  # 20 to 100, and 1 to 5
    with pytest.raises(NotIdentified, match=r"25 \* \(score - 1\)") as refusal:
        evenhand.replace(apart, llm_judges="gpt", epsilon=0.15)
    assert "gpt go from 1 to 5, and people's from 20 to 100" in str(refusal.value)
    below = rescale(lambda score: 25 * (score - 1), lambda score: score / 6)  # some people say 0
    for table, said in ((below, 1), (scores, 0)):
        result = evenhand.replace(table, llm_judges="gpt", epsilon=0.15)
        assert [one.code for one in result.notes].count("other-scale") == said
    severe = rescale(lambda score: max(score, 2), lambda _: 1)  # always 1 is on people's scale
    (found,) = evenhand.replace(severe, llm_judges="gpt", epsilon=0.15).replacements
    assert not found.passes


def test_judges_of_few_outputs_come_last_and_are_cut_on_a_terminal(scores):
    rows = [row for row in zip(*scores.values(), strict=True) if row[0] != "chance"]
    few = [row[1:] for row in rows if row[0] == "ann0"][:5]
    rows += [(f"a{number:02d}", *row) for number in range(20) for row in few]
    result = evenhand.replace(columns_of(rows, scores), llm_judges="gpt", epsilon=0.15)
    table = result.document().parts[1]
    tested = [row["p"] is not None for row in table.rows]
    assert tested == sorted(tested, reverse=True)
    assert sum(tested) < len(tested) - 8
    assert table.limit == max(8, sum(tested))
    assert f"... and {len(tested) - table.limit} more" in str(result)


def test_an_llm_that_cannot_be_tested_is_named_beside_the_others(scores):
    rows = [row for row in zip(*scores.values(), strict=True) if row[0] != "chance"]
    rows.append(("claude", "elsewhere", "s0", 3))
    table = columns_of(rows, scores)
    result = evenhand.replace(table, llm_judges=["gpt", "claude"], epsilon=0.15)
    assert [one.llm for one in result.replacements] == ["gpt"]
    (note,) = (one for one in result.notes if one.code == "replacement-untested")
    assert str(note).startswith("claude cannot be tested: no output was judged by two people and")
    assert result.replacements[0].passes
    assert not result.passed
    percent = {**table, "score": [*table["score"][:-1], 100]}
    result = evenhand.replace(percent, llm_judges=["gpt", "claude"], epsilon=0.15)
    (note,) = (one for one in result.notes if one.code == "replacement-untested")
    assert "claude go from 100 to 100" in note
    with pytest.raises(NotIdentified, match="no output was judged"):
        evenhand.replace(table, llm_judges="claude", epsilon=0.15)


@pytest.mark.parametrize(
    ("copied", "says"),
    [
        (
            {"gpt": 2, "chance": 3},
            "2 of 5 LLM judges may replace a human judge (ε = 0.15): gpt0, gpt1.",
        ),
        ({"gpt": 4}, "4 of 4 LLM judges may replace a human judge (ε = 0.15)."),
        (
            {"chance": 4},
            "These judgments are no evidence that any of 4 LLM judges may replace a human judge"
            " (ε = 0.15).",
        ),
    ],
)
def test_many_llm_judges_are_counted_in_a_sentence(scores, copied, says):
    rows = [*zip(*scores.values(), strict=True)]
    people = [row for row in rows if row[0].startswith("ann")]
    llm = [f"{name}{at}" for name, n in copied.items() for at in range(n)]
    rows = [(one, *row[1:]) for one in llm for row in rows if row[0] == one[:-1]]
    table = columns_of([*people, *rows], scores)
    result = evenhand.replace(table, llm_judges=llm, epsilon=0.15)
    assert [str(one) for one in result.document().answer] == [says]
    assert len(result.to_dict()["says"]) == len(llm)


def test_labels_that_rename_change_nothing(scores):
    result = evenhand.replace(scores, llm_judges="gpt", epsilon=0.15, score="accuracy")
    turned = {**scores, "score": [6 - one for one in scores["score"]]}
    other = evenhand.replace(turned, llm_judges="gpt", epsilon=0.15, score="accuracy")
    assert other.replacements[0].difference == pytest.approx(
        result.replacements[0].difference, abs=1e-12
    )
    assert other.replacements[0].stderr == pytest.approx(result.replacements[0].stderr, abs=1e-12)


def test_comparisons_whose_sides_are_turned():
    rng = np.random.default_rng(5)
    rows = []
    for item in range(60):
        better = rng.random() < 0.5
        for judge in ("ann", "bob", "cem", "dora", "eve", "gpt"):
            says = better if rng.random() < 0.8 else not better
            left, right = ("x", "y") if rng.random() < 0.5 else ("y", "x")
            rows.append((judge, item, left, right, "left" if says == (left == "x") else "right"))
    table = columns_of(rows)
    found = evenhand.replace(table, llm_judges=["gpt"], epsilon=0.2).replacements[0]
    assert found.outputs == 60
    assert found.kappa > 0.2
    assert found.passes
    still = {**table, "left": ["x"] * len(rows), "right": ["y"] * len(rows)}
    still["winner"] = [
        "left" if (side == "x") == (won == "left") else "right"
        for side, won in zip(table["left"], table["winner"], strict=True)
    ]
    same = evenhand.replace(still, llm_judges=["gpt"], epsilon=0.2).replacements[0]
    assert changed(same, tests=()) == changed(found, tests=())


@pytest.mark.parametrize(
    ("more", "refusal", "words"),
    [
        ({"llm_judges": "gtp"}, InvalidJudgments, "no judge 'gtp'"),
        ({"epsilon": 1.5}, UnknownOption, "below 1, such as .1, not 1.5"),
        ({"score": "mse"}, UnknownOption, "score"),
        ({"criterion": "fluency"}, InvalidJudgments, "no criteria"),
        (
            {"llm_judges": ["gpt", *(f"ann{at}" for at in range(5))]},
            NotIdentified,
            "it takes 3",
        ),
    ],
)
def test_refusals(scores, more, refusal, words):
    settings = {"llm_judges": "gpt", "epsilon": 0.1} | more
    with pytest.raises(refusal, match=words):
        evenhand.replace(scores, **settings)


def test_domains_are_tested_by_themselves_and_adjusted_together(scores):
    domain = ["news" if int(one[1:]) % 2 else "chat" for one in scores["item"]]
    table = {**scores, "domain": domain}
    llm = ["gpt", "chance"]
    result = evenhand.replace(table, llm_judges=llm, epsilon=0.15, by="domain")
    assert [(one.llm, one.group) for one in result.replacements] == [
        (name, group) for group in ("chat", "news") for name in llm
    ]
    for one in result.replacements:
        rows = [at for at, name in enumerate(domain) if name == one.group]
        part = {name: [values[at] for at in rows] for name, values in scores.items()}
        both = evenhand.replace(part, llm_judges=llm, epsilon=0.15).replacements
        alone = both[llm.index(one.llm)]
        assert (one.difference, one.p) == (alone.difference, alone.p)
        assert [test.p for test in one.tests] == [test.p for test in alone.tests]
    p = [one.p for one in result.replacements]
    assert [one.p_holm for one in result.replacements] == pytest.approx(
        multipletests(p, method="holm")[1].tolist()
    )
    # the published test: all judges and domains of an LLM are one family
    for name in llm:
        tests = [
            (one, test) for one in result.replacements if one.llm == name for test in one.tests
        ]
        known = multipletests([test.p for _, test in tests], alpha=0.05, method="fdr_by")[0]
        assert [test.rejected for _, test in tests] == known.tolist()
        for one in result.replacements:
            if one.llm == name:
                own = [yes for (other, _), yes in zip(tests, known, strict=True) if other is one]
                assert one.winning_rate == pytest.approx(np.mean(own))
    assert "2 groups, each tested by itself" in result.document().basis
    assert "by domain" in result.signature


def test_a_domain_without_enough_judges_is_named(scores):
    few = {
        "judge": ["ann0", "ann1", "gpt"] * 2,
        "item": ["x1"] * 3 + ["x2"] * 3,
        "system": ["s0"] * 6,
        "score": [1, 2, 2, 3, 3, 3],
    }
    table = {name: scores[name] + few[name] for name in scores}
    table["domain"] = ["chat"] * len(scores["item"]) + ["law"] * 6
    result = evenhand.replace(table, llm_judges="gpt", epsilon=0.15, by="domain")
    assert [one.group for one in result.replacements] == ["chat"]
    (note,) = (one for one in result.notes if one.code == "replacement-untested")
    assert str(note).startswith("gpt (law) cannot be tested: 2 people judged")


def test_comparisons_by_domain():
    rng = np.random.default_rng(6)
    rows = [
        (
            judge,
            f"{domain}{item}",
            "x",
            "y",
            "left" if right == (rng.random() < 0.85) else "right",
            domain,
        )
        for domain in ("chat", "news")
        for item in range(40)
        for right in [rng.random() < 0.5]
        for judge in ("ann", "bob", "cem", "dora", "eve", "gpt")
    ]
    both, alone = (
        evenhand.replace(columns_of(own, (*NAMES, "domain")), llm_judges=["gpt"], epsilon=0.2, **by)
        for own, by in ((rows, {"by": "domain"}), (rows[: len(rows) // 2], {}))
    )
    one, other = both.replacements[0], alone.replacements[0]
    assert (one.difference, one.p) == (other.difference, other.p)


def test_later_answers_are_counted_and_change_nothing(scores):
    once = evenhand.replace(scores, llm_judges="gpt", epsilon=0.15, score="accuracy")
    again = {name: [*values, *values[:7]] for name, values in scores.items()}
    twice = evenhand.replace(again, llm_judges="gpt", epsilon=0.15, score="accuracy")
    assert [one.code for one in once.notes] == []
    (note,) = twice.notes
    assert (note.code, note.values["n"]) == ("later-answers", 6)  # and one verdict, averaged
    assert twice.replacements[0].difference == once.replacements[0].difference


SYSTEMS = {"apollo": 1.2, "boreas": 0.4, "castor": -0.3, "dione": -1.0}


def compare_systems(llm, orders, seed=7, people=4):
    """Rows of `people` judges and of an LLM: llm(left is better, rng) → what it answers."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(90):
        one, other = rng.choice(list(SYSTEMS), 2, replace=False)
        gap = SYSTEMS[one] - SYSTEMS[other] + rng.normal(0, 1.5)
        for judge in range(people):
            sides = (one, other) if rng.random() < 0.5 else (other, one)
            better = gap + rng.normal(0, 0.7) > 0
            left = better == (sides[0] == one)
            rows.append([f"p{judge}", f"i{item}", *sides, "left" if left else "right"])
        better_first = (one, other) if gap > 0 else (other, one)
        for sides in (better_first, better_first[::-1])[:orders]:
            says = llm((gap > 0) == (sides[0] == one), rng)
            rows.append(["gpt", f"i{item}", *sides, says])
    return rows


def try_rows(rows, epsilon=0.15):
    table = columns_of(rows)
    return evenhand.replace(table, llm_judges="gpt", epsilon=epsilon).replacements[0]


def equal(one, other):
    numbers = [
        {name: value for name, value in vars(each).items() if name not in ("tests", "constant")}
        for each in (one, other)
    ]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-12)


def test_both_orders_count_whichever_comes_first_in_the_file():
    rows = compare_systems(lambda *_: "left", orders=2)
    found = try_rows(rows)
    assert not found.passes
    assert found.over_constant <= 0  # it is the constant answer "the output shown first"
    # half of its answers are the others' answer: a judge with most is closer, one without is not
    people = [[one for one in rows if one[0] == f"p{judge}"] for judge in range(4)]
    said = np.array([[(a < b) == (won == "left") for *_, a, b, won in each] for each in people])
    d = [np.sign((np.delete(said, at, 0) == said[at]).mean(axis=0) - 0.5) for at in range(4)]
    assert found.difference == pytest.approx(np.mean(d))
    rng = np.random.default_rng(1)
    for _ in range(3):
        equal(try_rows([rows[at] for at in rng.permutation(len(rows))]), found)


def test_always_the_output_shown_first_is_a_constant_answer():
    """Asked in one order, the better output first: nothing else tells that it does not read."""
    found = try_rows(compare_systems(lambda *_: "left", orders=1))
    assert found.upper < 0.15
    assert found.over_constant <= 0
    assert not found.passes
    good = try_rows(compare_systems(lambda left, _: "left" if left else "right", orders=2))
    assert good.passes


def test_names_of_systems_and_items_change_nothing():
    def often(left, rng):
        return "left" if left == (rng.random() < 0.8) else "right"

    rows = compare_systems(often, orders=2)
    found = try_rows(rows)
    for names in ("dcba", "bdac", "cadb"):
        renamed = dict(zip(SYSTEMS, names, strict=True))
        other = try_rows(
            [[judge, item[::-1], renamed[a], renamed[b], won] for judge, item, a, b, won in rows]
        )
        equal(other, found)
        assert other.constant == found.constant


def test_marked_judges_need_no_names():
    rows = compare_systems(lambda left, _: "left" if left else "right", orders=2)
    named = try_rows(rows)
    marked = [[*one, "llm" if one[0] == "gpt" else "human"] for one in rows]
    table = columns_of(marked, (*NAMES, "judge_type"))
    equal(evenhand.replace(table, epsilon=0.15).replacements[0], named)
    del table["judge_type"]
    with pytest.raises(UnknownOption, match="--llm-judges NAME, or a column judge_type"):
        evenhand.replace(table, epsilon=0.15)


def split_rows(rows):
    """People's rows as a frame of Polars, the LLM's as lists under other words and no judge."""
    people = pl.DataFrame([one for one in rows if one[0] != "gpt"], schema=NAMES, orient="row")
    words = {"left": "model_a", "right": "model_b"}
    verdicts = [(item, a, b, words[won]) for who, item, a, b, won in rows if who == "gpt"]
    return people, columns_of(verdicts, ("item", "model_a", "model_b", "winner"))


def test_verdicts_in_a_table_of_their_own_are_those_of_one_table():
    rows = compare_systems(lambda left, _: "left" if left else "right", orders=2)
    people, verdicts = split_rows(rows)
    (found,) = evenhand.replace(people, llm=verdicts, epsilon=0.15).replacements
    assert found.llm == "LLM"  # nothing names it
    equal(changed(found, llm="gpt"), try_rows(rows))
    verdicts["judge"] = ["gpt"] * len(verdicts["item"])
    (found,) = evenhand.replace(people, llm=verdicts, epsilon=0.15).replacements
    equal(found, try_rows(rows))


def test_verdicts_of_another_kind_of_people_or_named_twice_are_refused(scores):
    people, verdicts = split_rows(compare_systems(lambda *_: "left", orders=1))
    for llm, settings, refusal, words in (
        (verdicts, {"llm_judges": "gpt"}, UnknownOption, "give one"),
        (scores, {}, InvalidJudgments, "comparisons, and the verdicts ratings"),
        (people, {}, InvalidJudgments, "p0, p1, p2, p3 are judges in both tables"),
    ):
        with pytest.raises(refusal, match=words):
            evenhand.replace(people, llm=llm, epsilon=0.1, **settings)


def test_a_yes_names_the_llm_whose_verdicts_put_another_system_first():
    """People judge some outputs; on all others the LLM prefers the worst system."""
    rows = compare_systems(lambda left, _: "left" if left else "right", orders=2)
    more = [
        ["gpt", f"x{item}", one, "dione", "right"]
        for item in range(200)
        for one in ("apollo", "boreas", "castor")
    ]

    def notes_of(rows):
        result = evenhand.replace(columns_of(rows), llm_judges="gpt", epsilon=0.15)
        assert result.passed
        assert result.to_dict()["says"] == [str(result.replacements[0].says)]
        return [str(one) for one in result.notes if one.code == "another-first"]

    assert notes_of(rows) == []
    (note,) = notes_of(rows + more)
    assert note.startswith("By its verdicts alone dione would be first, and by people apollo")
    assert "(evenhand bias FILE --llm-judges gpt)" in note


def test_outputs_of_one_person_each_are_told_as_such():
    rows = compare_systems(lambda *_: "left", orders=2)
    once = [one for one in rows if one[0] == "gpt" or one[0] == f"p{int(one[1][1:]) % 4}"]
    words = "each of the 90 outputs that people and gpt judged was judged by one person only"
    with pytest.raises(NotIdentified, match=words):
        try_rows(once)
    unlike = [[judge, item + "x" * (judge == "gpt"), *rest] for judge, item, *rest in rows]
    with pytest.raises(NotIdentified, match="the same names of items and systems"):
        try_rows(unlike)

"""The diagnosis of judges, against numbers written out by hand (golden 09) and tiny tables."""

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand import diagnose_judges
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
)
from evenhand.judges.outliers import Limits, share_outside
from four_judges import LINES
from rating_tables import lines_of, ratings

NUMBERS = "09_hamon_judge_diagnosis"
FOUR = ("judge", "item", "system", "score", "criterion")
SMALL = lines_of("x 1 a 1; y 1 a 3; x 1 b 2; y 1 b 2; z 1 b 5; z 2 a 4")


@pytest.fixture(scope="module")
def entry():
    import golden_numbers

    return golden_numbers.golden(NUMBERS, "hamon")


@pytest.fixture(scope="module")
def table(entry):
    systems = entry.input["systems"]
    return pd.DataFrame(
        [
            {"judge": str(judge), "item": str(item), "system": systems[system], "score": score}
            for item, system, judge, _, score in entry.input["records"]
        ]
    )


@pytest.mark.parametrize("ddof", [0, 1])
def test_removal_is_the_golden_one(entry, table, ddof):
    found = diagnose_judges(evenhand.read(table), ddof=ddof, scale="1-5")
    near = {"abs": entry.tolerance["abs"], "rel": 0}
    for method in ("mean-score", "mean-agreement"):
        expected = entry.expected["removal"][f"ddof{ddof}"][method.replace("-", "_")]
        outliers = found.outliers_of(method, "")
        (removal,) = (one for one in found.removals if one.method == method)
        for name, value in (("centre", "center"), ("sd", "sd"), ("upper", "upper")):
            assert getattr(outliers, name) == pytest.approx(expected[value], **near)
        assert [int(judge) for judge in removal.judges] == expected["removed"]
        assert removal.n_removed == expected["judgments_removed"]
        systems = sorted(removal.systems, key=lambda one: one.system)
        for name, key in (
            ("kept", "system_means_after"),
            ("removed", "system_means_removed_judges_only"),
        ):
            means = [getattr(one, name) for one in systems]
            assert means == pytest.approx(expected[key], **near)
        for name, key in (("kept", "official_vs_after"), ("removed", "official_vs_removed_only")):
            both = {"pearson": getattr(removal, name).pearson}
            both["spearman"] = getattr(removal, name).spearman
            assert both == pytest.approx(expected[key], **near)


def test_judges_and_agreement_are_the_golden_ones(entry, table):
    found = diagnose_judges(evenhand.read(table), scale="1-5")
    expected = entry.expected
    near = {"abs": entry.tolerance["abs"], "rel": 0}
    for name, key in (
        ("n", "judge_count"),
        ("mean", "judge_mean"),
        ("others_mean", "others_mean_same_items"),
        ("mean_agreement", "judge_mean_agreement"),
    ):
        own = {one.judge: getattr(one, name) for one in found.profiles[""]}
        assert own == pytest.approx(expected[key], **near)
    (row,) = found.agreement
    assert (row.outputs, row.steps) == (expected["N"], (0, 1, 2, 3, 4))
    assert list(row.n_agreement) == pytest.approx(expected["n_agreement"], **near)
    parts = (row.observed, row.expected, row.kappa)
    assert parts == pytest.approx((expected["Po"], expected["Pe"], expected["kappa"]), **near)
    full = sorted(found.removals[0].systems, key=lambda one: one.system)
    assert [one.full for one in full] == pytest.approx(expected["official_system_means"], **near)


def test_the_merged_scale_gives_the_statistics_of_the_merged_scores(table):
    merged = diagnose_judges(evenhand.read(table), scale="1-5", merge="1+2,4+5").merged
    by_hand = table.assign(score=table.score.map({1: 1, 2: 1, 3: 2, 4: 3, 5: 3}))
    expected = diagnose_judges(evenhand.read(by_hand), scale="1-3")
    assert merged.agreement == expected.agreement
    assert merged.profiles == expected.profiles
    assert merged.deleted == expected.deleted


def test_table_3_counts_judges_under_each_criterion_and_under_all():
    lines = [(*one, "adequacy") for one in SMALL]
    lines += [(j, i, s, 6 - score, "fluency") for j, i, s, score in SMALL]
    found = diagnose_judges(ratings(lines, FOUR), k=0.9)
    # means 1.5, 2.5, 4.5, sd 1.53: z is 1.67 above the mean, x 1.33 below; turned round for fluency
    assert found.deleted == {
        "adequacy": {"mean-score": 1, "mean-agreement": 1},
        "fluency": {"mean-score": 1, "mean-agreement": 1},
        "all criteria": {"mean-score": 1, "mean-agreement": 1},
    }
    assert found.outliers_of("mean-score", "adequacy").high == ("z",)
    assert found.outliers_of("mean-score", "fluency").low == ("z",)


def test_last_words_replace_first_ones_and_both_are_kept():
    again = ratings([*SMALL, ("x", "1", "a", 5.0)])
    found = diagnose_judges(again)
    (revision,) = found.revisions
    assert (revision.again, revision.judges) == (1, ("x",))
    assert revision.first == pytest.approx({"a": 8 / 3, "b": 3.0})
    assert revision.last == pytest.approx({"a": 4.0, "b": 3.0})
    assert found.profiles == diagnose_judges(ratings(SMALL)).profiles
    assert diagnose_judges(again, version="last").profiles[""][0].mean == 3.5
    assert any("1 score excluded" in note for note in found.notes)


def test_a_list_of_easy_outputs_puts_a_judge_outside():
    lines = lines_of("x 1 a 5; x 2 a 4; y 1 a 1; y 2 a 2; z 1 a 5; z 2 a 1")
    found = diagnose_judges(ratings(lines), easy=["1", "2"], scale="1-5")
    assert found.outliers_of("easy-items", "").high == ("y", "z")
    assert [(one.judge, one.n, one.missed) for one in found.easy[""]] == [
        ("x", 2, 0),
        ("y", 2, 2),
        ("z", 2, 1),
    ]


def test_controls_are_seen_in_easy_items_only():
    lines = [(*one, "target") for one in SMALL]
    lines += [("x", "9", "a", 5.0, "bad"), ("x", "8", "a", 5.0, "bad")]
    found = diagnose_judges(ratings(lines, (*FOUR[:4], "kind")), scale="1-5")
    assert found.n_judgments == 6
    assert found.profiles == diagnose_judges(ratings(SMALL)).profiles
    assert found.outliers_of("easy-items", "").high == ("x",)


def test_one_judge_is_described_and_never_outside():
    found = diagnose_judges(ratings(lines_of("x 1 a 1; x 2 a 3")))
    assert [one.mean for one in found.profiles[""]] == [2.0]
    assert found.outliers_of("mean-score", "").why.startswith("one judge (x)")
    assert "no output was judged by two judges" in found.agreement[0].why


KIND = (*FOUR[:4], "kind", "expected")
TARGETS = [(*one, "target", None) for one in SMALL]


@pytest.mark.parametrize(
    ("lines", "columns", "fault", "words"),
    [
        ([("1", "a", 1)], FOUR[1:4], NotIdentified, "no column of judges was found; name it"),
        ([("x", "1", "a", 1, "bad")], KIND[:5], NotIdentified, "all scores are of controls"),
        (
            [*TARGETS, ("x", "9", "a", 5.0, "control", 7.0)],
            KIND,
            InvalidJudgments,
            "off the scale 1 to 5: 7",
        ),
        ([*TARGETS, ("x", "9", "a", 5.0, "control", np.inf)], KIND, InvalidJudgments, "infinite"),
    ],
)
def test_data_that_cannot_be_diagnosed_are_refused(lines, columns, fault, words):
    with pytest.raises(fault, match=words):
        diagnose_judges(ratings(lines, columns), scale="1-5")


@pytest.mark.parametrize(
    ("settings", "fault", "words"),
    [
        ({"reading": "median"}, UnknownOption, "reading of the mean score"),
        ({"ddof": 2}, UnknownOption, "ddof cannot be 2"),
        ({"methods": ["kappa"]}, UnknownOption, "method cannot be 'kappa'"),
        ({"references": ["A"]}, UnknownOption, "reference 'A' is none of the systems"),
        ({"input_type": "channel"}, UnknownColumn, "channel"),
        ({"scale": "1-4"}, InvalidJudgments, "not on the scale"),
        ({"methods": []}, UnknownOption, "no method decides on removal"),
        ({"merge": "1"}, UnknownOption, "merge '1' joins nothing"),
        ({"merge": "low+high"}, UnknownOption, r"write 1\+2,4\+5"),
        ({"across": "both"}, UnknownOption, "across cannot be 'both': choose each"),
        ({"version": "mean"}, UnknownOption, "version cannot be 'mean'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, fault, words):
    with pytest.raises(fault, match=words):
        diagnose_judges(ratings(SMALL), **settings)


@pytest.mark.parametrize("name", ["easy", "references", "methods"])
def test_a_bare_text_is_no_list_of_names(name):
    with pytest.raises(UnknownOption, match=f"{name} is a list of names"):
        diagnose_judges(ratings(SMALL), **{name: "a"})


# Judges whom the limits leave outside by chance.


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize(("judges", "k"), [(3, 1.0), (4, 0.5), (5, 1.0), (9, 1.5)])
def test_the_share_is_that_of_drawn_judges(judges, k, ddof):
    drawn = np.random.default_rng(2).normal(size=(60_000, judges))
    far = np.abs(drawn - drawn.mean(axis=1, keepdims=True))
    outside = (far > k * drawn.std(axis=1, ddof=ddof, keepdims=True)).mean()
    assert share_outside(Limits(k, ddof), judges) == pytest.approx(outside, abs=0.005)


def test_judges_by_chance_are_counted_at_the_limits_that_were_asked():
    says = diagnose_judges(ratings(LINES), k=0.5).says
    assert any("0.5 sd would put outside: 2.7 of 4 by mean score" in one for one in says)


# The diagnosis runs on real campaigns with no hand work, task by task.


def test_the_highest_and_the_lowest_system_stand_beside_references_whatever_is_better():
    # penalties: of the systems, that with the highest score is the worst
    lines = lines_of("a 1 x 1; a 1 y 9; a 1 ref 2; b 1 x 3; b 1 y 9; b 1 ref 2")
    found = diagnose_judges(ratings(lines), references=["ref"])
    (said,) = [one for one in found.says if "references" in one]
    assert "ref 2.00" in said
    assert "y scores highest with 9.00" in said
    assert "x lowest with 2.00" in said


@pytest.mark.parametrize("sign", [1, -1])
def test_good_controls_get_few_penalties_and_many_points(sign):
    """Nine judges give good controls the best end of the scale, and one the worst."""
    rng, judges, name = np.random.default_rng(3), range(10), "errors" if sign > 0 else "quality"
    rows = [
        (f"j{j}", f"i{item}", system, sign * int(rng.integers(2, 7)), name, "target")
        for j in judges
        for item in range(20)
        for system in "xyz"
    ]
    good = [(f"j{j}", sign * (9 if j == 0 else 0)) for j in judges]
    rows += [
        (judge, f"c{at}", "x", score, name, "good") for judge, score in good for at in range(6)
    ]
    found = diagnose_judges(ratings(rows, (*FOUR, "kind")))
    assert found.outliers_of("easy-items", name).judges == ("j0",)

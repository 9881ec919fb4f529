"""What `measure_agreement` says of data, and of data of which little can be said."""

import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption

CRITERIA = {"fluency": [4, 4, 2, 3, 5, 5, 1, 1], "adequacy": [4, 1, 2, 5, 5, 1, 1, 4]}


def ratings(scores, **columns):
    """Two judges on items 0, 0, 1, 1, ... of one system."""
    n = len(scores)
    table = {
        "judge": ["a", "b"] * (n // 2),
        "item": [str(i // 2) for i in range(n)],
        "system": ["s"] * n,
        "score": scores,
    }
    return evenhand.read(pl.DataFrame(table | columns))


def two_criteria():
    """The scores of `CRITERIA`, text from speech and from print."""
    frames = [
        pl.DataFrame(
            {
                "judge": ["a", "b"] * 4,
                "item": [str(i // 2) for i in range(8)],
                "system": ["s"] * 8,
                "criterion": [name] * 8,
                "input": ["speech"] * 4 + ["print"] * 4,
                "score": scores,
            }
        )
        for name, scores in CRITERIA.items()
    ]
    return evenhand.read(pl.concat(frames))


def test_criteria_are_parts_and_all_of_them_come_last():
    found = evenhand.measure_agreement(two_criteria(), scale="1-5")
    assert [part.name for part in found.parts] == ["adequacy", "fluency", "all"]
    values = [part["n-agreement-0"].value for part in found.parts]
    assert values == pytest.approx([0, 3 / 4, 3 / 8])
    assert found.part("fluency").units == 4
    assert found.whole.judges == 2


def test_columns_are_crossed_and_added_up_from_the_last():
    found = evenhand.measure_agreement(two_criteria(), by=["criterion", "input"], scale="1-5")
    assert [part.name for part in found.parts] == [
        *("adequacy, print", "adequacy, speech", "fluency, print", "fluency, speech"),
        *("adequacy", "fluency", "all"),
    ]
    assert found.part("fluency", "print")["n-agreement-0"].value == 1
    row = found.records()[0]
    assert (row["criterion"], row["input"], row["coefficient"]) == (
        *("adequacy", "print"),
        "n-agreement-0",
    )


def test_items_on_which_judges_differ_most_come_first():
    found = evenhand.measure_agreement(two_criteria(), scale="1-5")
    assert [one.item for one in found.part("adequacy").doubtful] == ["2", "0", "1", "3"]
    worst = found.part("adequacy").doubtful[0]
    assert (worst.units, worst.difference) == (1, 4)
    assert worst.drawn == pytest.approx((4 + 5 * 13 / 4) / 6)


def test_tasks_are_kept_apart_unless_they_are_parts():
    data = ratings([1, 1, 2, 3, 4, 4, 5, 5], task=["x"] * 4 + ["y"] * 4)
    apart = evenhand.measure_agreement(data)
    assert list(apart) == ["x", "y"]
    assert apart["y"].whole["n-agreement-0"].value == 1
    together = evenhand.measure_agreement(data, by=["task"])
    assert [part.name for part in together.parts] == ["x", "y", "all"]


def test_a_task_of_one_judge_says_why_nothing_is_known():
    data = ratings([1, 1, 2, 3], task=["x"] * 2 + ["y"] * 2, judge=["a", "b", "a", "a"])
    found = evenhand.measure_agreement(data)
    assert list(found) == ["x"]
    assert "there is one judge alone" in found.refused["y"]


def test_rows_that_are_left_out_are_counted():
    data = ratings([1, 1, 2, 3, None, 3], judge=["a", "a", "a", "b", "a", "b"])
    notes = " | ".join(evenhand.measure_agreement(data).notes)
    assert "1 second answer of judges to the same output excluded" in notes
    assert "agree with themselves |" in notes
    assert notes.count("without a score") == 1
    assert "rows without a score are excluded: 1 of 6" in notes
    assert "2 of 3 outputs were judged once" in notes


def test_one_judge_is_refused():
    setting = "judges_per_item = 2 in campaign.toml"
    with pytest.raises(NotIdentified, match=f"there is one judge alone.*{setting}"):
        evenhand.measure_agreement(ratings([1, 2, 3, 4], judge=["a"] * 4, item=list("0123")))


def test_judges_who_share_nothing_are_refused():
    with pytest.raises(NotIdentified, match="no two of 4 judges share any"):
        evenhand.measure_agreement(ratings([1, 2, 3, 4], judge=list("abcd"), item=list("0123")))


def test_one_item_has_values_and_says_why_there_is_no_interval():
    found = evenhand.measure_agreement(ratings([3, 4]), scale="1-5")
    one = found.whole["n-agreement-1"]
    assert (one.value, one.lower) == (1, None)
    assert "No interval: 1 item, and at least 10 are needed." in one.notes


def test_constant_scores_agree_and_have_no_kappa():
    found = evenhand.measure_agreement(ratings([4] * 30), scale="1-5")
    whole = found.whole
    assert (whole["n-agreement-0"].value, whole["n-agreement-0"].lower) == (1, 1)
    assert whole["ac1"].value == 1
    for name in ("fleiss", "alpha-ordinal", "alpha-interval"):
        assert whole[name].value is None
        assert "all scores are alike" in whole[name].why
    unknown = evenhand.measure_agreement(ratings([4] * 30)).whole["ac1"]
    assert "declare the scale" in unknown.why


def test_all_scores_missing_is_refused():
    with pytest.raises(InvalidJudgments, match="has no score in any of 2 rows"):
        evenhand.measure_agreement(ratings(pl.Series([None, None], dtype=pl.Float64)))


def test_scores_off_the_declared_scale_are_refused():
    with pytest.raises(InvalidJudgments, match="not on the scale 1 to 5: 7"):
        evenhand.measure_agreement(ratings([1, 7, 2, 2]), scale="1-5")


def test_a_rare_answer_with_low_kappa_is_warned_of():
    scores = [1, 1] * 45 + [1, 2] * 3 + [2, 1] * 2
    found = evenhand.measure_agreement(ratings(scores), scale="1-2")
    assert any("Feinstein & Cicchetti 1990" in note for note in found.whole.notes)
    balanced = [1, 1] * 25 + [2, 2] * 20 + [1, 2] * 3 + [2, 1] * 2
    calm = evenhand.measure_agreement(ratings(balanced), scale="1-2")
    assert not any("Feinstein" in note for note in calm.whole.notes)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"coefficients": "fleis"}, UnknownOption, "Did you mean 'fleiss'"),
        ({"cluster": "system"}, UnknownOption, r"choose item \| judge"),
        ({"level": 95}, UnknownOption, "level cannot be 95: it lies between 0 and 1"),
        ({"by": ["inptu"]}, UnknownColumn, "Did you mean 'input'"),
        ({"scale": "five"}, UnknownOption, "write 1-5"),
        ({"coefficients": []}, UnknownOption, "no coefficient is asked for"),
    ],
)
def test_settings_that_do_not_exist_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        evenhand.measure_agreement(two_criteria(), **options)


def test_the_same_table_in_another_order_gives_the_same_table():
    scores = [(7 * i) % 5 + 1 for i in range(60)]
    data = ratings(scores)
    turned = evenhand.read(pl.DataFrame(data.frame.to_native()).reverse())
    first, second = evenhand.measure_agreement(data), evenhand.measure_agreement(turned)
    assert first.to_dict() == second.to_dict()


def test_asking_for_all_gives_every_coefficient_a_value_or_a_reason():
    found = evenhand.measure_agreement(two_criteria(), coefficients="all", scale="1-5")
    names = [one.name for one in found.whole.coefficients]
    assert {"n-agreement-pair-0", "pi-linear", "cohen", "icc-1-1", "kendall-w"} <= set(names)
    assert all((one.value is None) != (one.why is None) for one in found.whole.coefficients)


def test_preferences_agree_whichever_output_stood_left():
    table = {
        "left": ["x", "y"] * 12,
        "right": ["y", "x"] * 12,
        "outcome": ["left", "right"] * 12,
        "judge": ["a", "b"] * 12,
        "item": [str(i // 2) for i in range(24)],
    }
    table["outcome"][1] = "tie"
    found = evenhand.measure_agreement(evenhand.read(pl.DataFrame(table)))
    assert found.whole["n-agreement-0"].value == pytest.approx(11 / 12)
    strict = found.whole["kappa-strict"]
    chance = (1 / 24) ** 2 + (23 / 24) ** 2 / 2
    assert strict.value == pytest.approx((11 / 12 - chance) / (1 - chance))
    assert strict.lower is not None
    with pytest.raises(UnknownOption, match="preferences have no scale"):
        evenhand.measure_agreement(evenhand.read(pl.DataFrame(table)), scale="1-5")


@pytest.mark.parametrize("name", ["judge", "group"])
def test_a_column_that_differs_within_an_output_cannot_tell_outputs_apart(name):
    data = ratings([1, 1, 2, 3], group=["crowd", "expert"] * 2)
    said = f"'{name}' differs among the judges.*2 of 2.*--group-by {name}"
    with pytest.raises(UnknownOption, match=said):
        evenhand.measure_agreement(data, by=[name])


def test_one_judge_who_was_asked_again_has_agreement_with_itself_alone():
    data = ratings([1, 1, 2, 3, 4, 4], judge=["a"] * 6)
    found = evenhand.measure_agreement(data, coefficients="intra", scale="1-5")
    assert found.whole["intra-n-agreement-0"].value == pytest.approx(2 / 3)
    assert found.says == ("Judges give the same score again in 66.7 %.",)
    with pytest.raises(NotIdentified, match="there is one judge alone"):
        evenhand.measure_agreement(data)


def test_repeats_off_the_declared_scale_are_refused_whatever_is_asked_for():
    data = ratings([1, 1, 2, 7, 3, 3], kind=["target"] * 3 + ["repeat"] + ["target"] * 2)
    for name in ("fleiss", "intra"):
        with pytest.raises(InvalidJudgments, match="not on the scale 1 to 5: 7"):
            evenhand.measure_agreement(data, coefficients=name, scale="1-5")


def test_a_scale_without_steps_has_no_categories():
    data = ratings([0.1, 0.1, 0.5, 0.6, 0.9, 0.8])
    whole = evenhand.measure_agreement(data, coefficients="all", scale="0..1").whole
    for name in ("fleiss", "ac1", "brennan-prediger", "alpha-nominal", "pi", "cohen"):
        assert whole[name].value is None
        assert "scale with steps" in whole[name].why
    assert whole["alpha-interval"].value > 0.8
    shown = evenhand.measure_agreement(data, scale="0..1").whole.coefficients
    assert "fleiss" not in {one.name for one in shown}


def test_scores_in_small_units_agree_no_more_than_in_large_ones():
    scores = [4, 4, 2, 3, 5, 5, 1, 3, 4, 5, 1, 2]
    plain = evenhand.measure_agreement(ratings(scores))
    tiny = evenhand.measure_agreement(ratings([score * 1e-10 for score in scores]))
    assert tiny.whole["n-agreement-0"].value == plain.whole["n-agreement-0"].value == 1 / 3
    assert "differ by at most 1e-10 points" in tiny.says[0]


def test_judges_drawn_again_leave_no_interval_by_item():
    scores = [(7 * i + i // 5) % 5 + 1 for i in range(400)]
    names = [f"j{(i // 2 + (i % 2) * (1 + i % 7)) % 12:02d}" for i in range(400)]
    data = ratings(scores, judge=names, item=[str(i // 2) for i in range(400)])
    by_item = evenhand.measure_agreement(data, coefficients=["default", "cohen", "pearson", "icc"])
    drawn = evenhand.measure_agreement(
        data, coefficients=["default", "cohen", "pearson", "icc"], cluster="judge"
    )
    assert drawn.whole["fleiss"].lower is not None
    for name in ("cohen", "pearson", "icc-1-1"):
        assert by_item.whole[name].lower is not None
        assert drawn.whole[name].lower is None
        assert any(note.code == "interval-by-item" for note in drawn.whole[name].notes)
        assert drawn.whole[name].value == by_item.whole[name].value


def test_f_intervals_say_that_outputs_of_an_item_hang_together():
    table = {"item": [str(i // 4) for i in range(40)], "system": ["s", "s", "t", "t"] * 10}
    scores = [(7 * i + i // 5) % 5 + 1 for i in range(40)]
    several = evenhand.measure_agreement(ratings(scores, **table), coefficients="icc")
    assert any("20 outputs belong to 10 items" in note for note in several.whole["icc-1-1"].notes)
    alone = evenhand.measure_agreement(ratings(scores), coefficients="icc")
    assert not any("independent" in note for note in alone.whole["icc-1-1"].notes)

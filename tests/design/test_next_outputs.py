"""The next outputs to have rated."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from design.labelled_outputs import as_ratings, smooth_world
from evenhand import OutputFeatures, Query, choose_outputs
from evenhand.data.ratings import Ratings
from evenhand.design.next_outputs import name_features
from evenhand.design.query_replay import choose_part
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption

TWO = OutputFeatures(numbers=("x0", "x1"), labels=())


def partly(n=60, rated=40, **columns) -> Ratings:
    """The first outputs have ratings, the others none."""
    x, y = smooth_world(n, 5)
    score = [*y[:rated].tolist(), *[None] * (n - rated)]
    return as_ratings(x, score, **columns)


def test_only_outputs_without_a_rating_are_chosen_each_once():
    found = choose_outputs(partly(), TWO, n=8)
    items = [one.item for one in found.outputs]
    assert len(set(items)) == 8
    assert all(int(item[1:]) >= 40 for item in items)
    assert (found.labelled, found.waiting) == (40, 20)
    assert {one.kind for one in found.outputs} == {"chosen"}


def test_the_start_up_is_at_random_and_says_so():
    found = choose_outputs(partly(rated=6), TWO, n=6)
    assert [one.kind for one in found.outputs] == ["start-up"] * 4 + ["chosen"] * 2
    assert any("until 10 have ratings (6 have)" in one for one in found.says)


def test_texts_tell_of_outputs():
    """Ratings fall with the length of generated sentences; the longest is unlike all rated."""
    rng = np.random.default_rng(3)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "in", "Rome"])
    sizes = [*rng.integers(3, 12, 40).tolist(), *[7] * 9, 80]
    text = [" ".join(rng.choice(words, size)) for size in sizes]
    score = [90.0 - 3 * size for size in sizes[:40]] + [None] * 10
    data = as_ratings(np.zeros((50, 0)), score, source=text[::-1], output=text)
    features = OutputFeatures(labels=(), source_text="source", output_text="output")
    assert choose_outputs(data, features, n=1).outputs[0].item == "i00049"


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownOption, match="ask for 1 or more"):
        choose_outputs(partly(), TWO, n=0)
    with pytest.raises(UnknownOption, match="nobody has"):
        choose_outputs(partly(), TWO, Query("oracle"))
    with pytest.raises(UnknownColumn, match="words"):
        choose_outputs(partly(), OutputFeatures(numbers=("words",), labels=()))
    with pytest.raises(InvalidJudgments, match="not a number"):
        choose_outputs(partly(x0=["a"] * 60), TWO)


def test_a_sureness_counts_those_chosen_above_as_rated():
    """Two outputs far off and alike: the second is foreseen as the first leaves it."""
    x, y = smooth_world(42, 5)
    x[40:] = 6.0
    data = as_ratings(x, [*y[:40].tolist(), None, None])
    one, two = choose_outputs(data, TWO, n=2).outputs
    assert one.predicted == pytest.approx(two.predicted)
    assert two.deviation < 0.9 * one.deviation
    assert two.reason == f"predicted {two.predicted:.3g} ± {two.deviation:.2g}"


def test_a_feature_that_waits_otherwise_than_it_was_rated_is_refused():
    frame = partly().frame.to_native()
    more = frame.head(5).with_columns(
        score=pl.lit(None, pl.Float64), judge=pl.lit("ben"), x0=pl.lit(9.0)
    )
    with pytest.raises(InvalidJudgments, match=r"'x0' differs between rows of one output \(i00000"):
        choose_outputs(Ratings(nw.from_native(pl.concat([frame, more]))), TWO)


def test_kinds_that_no_waiting_output_shares_are_refused():
    kind = ["News"] * 40 + ["news"] * 20
    features = OutputFeatures(numbers=("x0",), labels=("domain",))
    with pytest.raises(InvalidJudgments, match="no output that waits is of the same kind"):
        choose_outputs(partly(domain=kind), features)
    assert len(choose_outputs(partly(domain=kind), features, Query("random")).outputs) == 10
    found = choose_outputs(partly(domain=[*kind[:-1], "News"]), features)
    assert found.features == ("x0 (number)", "domain (kinds)")


def test_an_output_that_nobody_rated_needs_no_judge():
    table = pl.DataFrame(
        {
            "item": ["a", "b", "c", "d"],
            "system": ["s"] * 4,
            "judge": ["ann", "ben", "ann", None],
            "score": [10.0, 20.0, 30.0, None],
            "words": [1, 2, 3, 9],
        }
    )
    rated = Ratings(nw.from_native(table))
    found = choose_outputs(rated, OutputFeatures(numbers=("words",), labels=()), n=1)
    assert [one.item for one in found.outputs] == ["d"]


NONE = (None, None)


def told(column) -> Ratings:
    """Thirty ratings with a column beside them."""
    return as_ratings(*smooth_world(30, 1), words=column)


@pytest.mark.parametrize(("bad", "said"), [("n/a", "'n/a'"), (None, "nothing"), ("NaN", "'NaN'")])
def test_a_bad_number_does_not_turn_a_column_into_kinds(bad, said):
    column = [str(i) for i in range(30)]
    column[16] = bad
    match = f"numbers in 29 of 30 rows, but holds {said} in row 17 .i00016, s."
    with pytest.raises(InvalidJudgments, match=match):
        name_features(told(column), ("words",), NONE)


def test_savings_replay_the_batch_and_the_seed_that_were_asked_on_rated_outputs():
    x, y = smooth_world(60, 5)
    data = as_ratings(x, [*y[:40].tolist(), *[None] * 20])
    features = name_features(data, ("x0", "x1"), NONE)
    curves = choose_part(data, features, Query(), (3, 7), (2, None)).other
    assert "batch=3 " in curves.signature
    assert "R=2 seed=7" in curves.signature
    assert not any("excluded" in note for note in curves.notes)


@pytest.mark.parametrize("rated", [0, 1])
def test_few_ratings_or_none_begin_at_random(rated):
    found = choose_outputs(partly(rated=rated), TWO, n=3)
    assert [one.kind for one in found.outputs] == ["start-up"] * 3
    assert (found.outputs[0].predicted is None) == (rated == 0)


def test_labels_of_different_numbers_of_ratings_are_noted():
    frame = partly().frame.to_native()
    more = frame.head(5).with_columns(judge=pl.lit("ben"))
    found = choose_outputs(Ratings(nw.from_native(pl.concat([frame, more]))), TWO)
    assert any("means of 1 to 2 ratings" in one for one in found.notes)
    assert not any("means of" in one for one in choose_outputs(partly(), TWO).notes)


def test_the_score_is_no_feature_and_a_column_of_which_half_is_numbers_is_kinds():
    with pytest.raises(UnknownOption, match="not known before anybody rates"):
        name_features(told(["1"] * 30), ("score",), NONE)
    assert name_features(told(["1", "b"] * 15), ("words",), NONE).labels == ("words",)

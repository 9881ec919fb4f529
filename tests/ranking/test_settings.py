"""What cannot be asked of a ranking."""

import numpy as np
import pytest

from evenhand import (
    compare_methods,
    compare_models,
    estimate_components,
    find_cycles,
    find_fragility,
    find_position_bias,
    make_report,
    measure_agreement,
    screen_judges,
    vary_choices,
)
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from ranking.panels import comparisons, panel

REFUSALS = {
    "the model knows no clusters": (
        {"interval": "model", "cluster": "judge"},
        "interval 'model' assumes independent judgments and knows no clusters",
    ),
    "unknown interval": (
        {"interval": "sandwitch"},
        r"interval cannot be 'sandwitch': choose rank-sets \| sandwich \| model \| bootstrap. Did",
    ),
    "unknown cluster": ({"cluster": "annotator"}, "cluster cannot be 'annotator': choose judgment"),
    "level in per cent": ({"level": 95}, "level cannot be 95: it lies between 0 and 1"),
    "level one": ({"level": 1.0}, "level cannot be 1.0"),
    "level no number": ({"level": float("nan")}, "level cannot be nan"),
    "level beyond 999 worlds": (
        {"level": 0.9995},
        "level 0.9995 exceeds what 999 replicates can show: rank sets go to 0.999",
    ),
    "level with a sign": (
        {"level": "95%"},
        "level cannot be '95%': it is a number between 0 and 1",
    ),
    "no level": ({"level": None}, "level cannot be None: it is a number between 0 and 1, as .95"),
    "negative seed": ({"seed": -1}, "seed cannot be -1"),
    "no seed": ({"seed": None}, "seed cannot be None: it is a whole number from 0"),
    "seed of letters": ({"seed": "x"}, "seed cannot be 'x': it is a whole number"),
    "seed that is no whole number": ({"seed": 1.5}, "seed cannot be 1.5: it is a whole number"),
    "seed of a model by its name": (
        {"seed": 1.5, "model": "plackett-luce"},
        "seed cannot be 1.5: it is a whole number",
    ),
    "model without parentheses": (
        {"model": BradleyTerry},
        r"model is the class BradleyTerry .*: write BradleyTerry\(\), with parentheses",
    ),
    "no model": (
        {"model": 3},
        r"model cannot be 3: give settings .* evenhand\.BradleyTerry\(\), or a name: bradley-t",
    ),
    "groups as a list": (
        {"group_by": ["judge"]},
        r"group_by is one column, such as 'judge', not \['judge'\]",
    ),
    "judge covariates": (
        {"model": BradleyTerry(judge_covariates=("judge",))},
        r"leave out judge covariates, or rank each group apart \(--group-by judge\)",
    ),
    "clusters that are groups": (
        {"cluster": "judge", "group_by": "judge"},
        "cannot cluster by judge: every group by judge has one judge",
    ),
}


@pytest.mark.parametrize(("asked", "message"), REFUSALS.values(), ids=REFUSALS)
def test_what_does_not_exist_or_does_not_fit_is_refused(asked, message):
    with pytest.raises(UnknownOption, match=message):
        rank(comparisons(panel()), **asked)


LOG_LINEAR = [compare_methods, find_fragility, vary_choices]


@pytest.mark.parametrize("work", LOG_LINEAR)
def test_what_takes_settings_of_the_log_linear_model_refuses_all_else_in_words(work):
    data = comparisons(panel())
    with pytest.raises(UnknownOption, match=r"write BradleyTerry\(\), with parentheses"):
        work(data, model=BradleyTerry)
    with pytest.raises(UnknownOption, match="model cannot be 'bradley-terry': give settings of"):
        work(data, model="bradley-terry")


DRAWING = [*LOG_LINEAR, find_cycles, compare_models, measure_agreement, make_report]


@pytest.mark.parametrize("work", DRAWING)
def test_whatever_draws_refuses_a_seed_that_cannot_be_drawn_from_again(work):
    data = comparisons(panel())
    for seed in (None, "x", 1.5, -1):
        with pytest.raises(UnknownOption, match=f"seed cannot be {seed!r}: it is a whole number"):
            work(data, seed=seed)


LEVELLED = [*DRAWING, find_position_bias, estimate_components, screen_judges]


@pytest.mark.parametrize("work", LEVELLED)
def test_a_level_that_is_no_number_is_refused_in_words(work):
    data = comparisons(panel())
    for level in ("95%", None):
        with pytest.raises(UnknownOption, match=f"level cannot be {level!r}: it is a number"):
            work(data, level=level)
    assert find_position_bias(data, level=np.float32(0.9)).level == pytest.approx(0.9)


def test_columns_that_are_not_there_are_refused():
    data = comparisons(panel().drop("item"))
    with pytest.raises(UnknownColumn, match="cannot cluster by item: there is no item column"):
        rank(data, cluster="item")
    with pytest.raises(UnknownColumn, match=r"column 'juge' not found .* Did you mean 'judge'"):
        rank(data, group_by="juge")


def test_what_is_no_table_of_judgments_is_refused():
    with pytest.raises(InvalidJudgments, match=r"not NoneType: pass what evenhand\.read opens"):
        rank(None)

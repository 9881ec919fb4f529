"""What cannot be asked of a ranking."""

import numpy as np
import polars as pl
import pytest

import evenhand
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
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from evenhand.render.document import write_signature
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
DRAWING = [rank, *LOG_LINEAR, find_cycles, compare_models, measure_agreement, make_report]
LEVELLED = [*DRAWING, find_position_bias, estimate_components, screen_judges]


@pytest.mark.parametrize("work", LEVELLED)
def test_settings_that_cannot_be_are_refused_in_words_whatever_takes_them(work):
    data = comparisons(panel())
    for level in ("95%", None):
        with pytest.raises(UnknownOption, match=f"level cannot be {level!r}: it is a number"):
            work(data, level=level)
    for seed in (None, "x", 1.5, -1) if work in DRAWING else ():
        with pytest.raises(UnknownOption, match=f"seed cannot be {seed!r}: it is a whole number"):
            work(data, seed=seed)
    if work in LOG_LINEAR:
        with pytest.raises(UnknownOption, match=r"write BradleyTerry\(\), with parentheses"):
            work(data, model=BradleyTerry)
        with pytest.raises(UnknownOption, match="model cannot be 'bradley-terry': give settings"):
            work(data, model="bradley-terry")


def test_a_level_of_numpy_is_a_number():
    found = find_position_bias(comparisons(panel()), level=np.float32(0.9))
    assert found.level == pytest.approx(0.9)


def test_columns_that_are_not_there_are_refused():
    data = comparisons(panel().drop("item"))
    with pytest.raises(UnknownColumn, match="cannot cluster by item: there is no item column"):
        rank(data, cluster="item")
    with pytest.raises(UnknownColumn, match=r"column 'juge' not found .* Did you mean 'judge'"):
        rank(data, group_by="juge")


# One line that reproduces a number.


def signature(frame: pl.DataFrame | None = None, **settings: object) -> list[str]:
    frame = panel(judges=9) if frame is None else frame
    return rank(comparisons(frame), **settings).signature.split(" | ")


def test_it_says_version_model_method_level_seed_counts_and_digest():
    found = signature(cluster="judge", level=0.9)
    assert found[0] == f"evenhand {evenhand.__version__}"
    assert found[1] == "davidson"
    assert found[2] == "rank sets CV3 by judge, max-|t| step-down, B=999, level 0.9"
    assert found[3] == "seed=20131"
    assert found[4] == "cluster judge"
    assert found[5].startswith("clusters sha256 ")
    assert found[6] == "n=240 J=9"
    assert found[7].startswith("sha256 ")
    assert len(found[7]) == len("sha256 ") + 12


def test_settings_have_all_their_digits():
    """Seven digits of a level or a prior are a level or a prior of its own."""
    found = signature(model=BradleyTerry(prior=0.1234567), level=0.9012345, cluster="judge")
    assert found[1] == "davidson + prior 0.1234567 per system"
    assert found[2].endswith("level 0.9012345")


@pytest.mark.parametrize("cell", ["left", "outcome"])
def test_one_judgment_changed_changes_the_digest_and_a_judge_that_of_clusters(cell):
    frame = panel(judges=9)
    turned = {"left": "right", "right": "tie", "tie": "left", "s0": "s3", "s1": "s0", "s2": "s0"}
    first = pl.int_range(pl.len()) == frame["right"].to_list().index("s1")
    value = pl.col(cell).replace(turned | {"s3": "s2"})
    changed = frame.with_columns(pl.when(first).then(value).otherwise(pl.col(cell)).alias(cell))
    assert signature(changed)[-1] != signature(frame)[-1]
    renamed = frame.with_columns(judge="x" + pl.col("judge"))
    pairs = zip(signature(renamed), signature(frame), strict=True)
    assert [one[:9] for one, two in pairs if one != two] == ["clusters "]


def test_every_kind_of_number_is_signed_in_one_form():
    found = write_signature(["what", "how"], 12.5, "0123456789abcdef", judges=3)
    version = f"evenhand {evenhand.__version__}"
    assert found == f"{version} | what | how | n=12.5 J=3 | sha256 0123456789ab"
    assert " J=" not in write_signature([], 7, "0123456789abcdef")


def test_values_of_system_covariates_are_signed():
    sizes = {"s0": 4.0, "s1": 3.0, "s2": 2.5, "s3": 1.0}
    first, same, other = (
        signature(model=BradleyTerry(system_covariates={"size": one}))
        for one in (sizes, dict(reversed(sizes.items())), sizes | {"s3": 2.0})
    )
    assert first == same
    assert [a == b for a, b in zip(first, other, strict=True)].count(False) == 1
    assert [one for one in first if one.startswith("covariates sha256 ")]

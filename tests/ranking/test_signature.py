"""One line that reproduces a number."""

import polars as pl
import pytest

import evenhand
from evenhand.data.results import write_signature
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from ranking.panels import comparisons, panel


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

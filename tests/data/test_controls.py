"""Controls tell of judges: what speaks of systems leaves them out, and says how many they were."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import leave_out_controls
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.without_judges import compare_without

# Hand-counted: A beats B 3 : 1, B beats C 2 : 1, A beats C 1 : 0, one tie of A and C; 4 controls.
VOTES = [
    *[("j1", "1", "A", "B", "left", "target")] * 3,
    ("j2", "2", "A", "B", "right", "repeat"),
    *[("j2", "3", "B", "C", "left", "")] * 2,
    ("j1", "3", "C", "B", "left", "TGT"),
    ("j2", "4", "A", "C", "left", "target"),
    ("j1", "4", "A", "C", "tie", "target"),
]
CONTROLS = [
    ("j1", "c1", "good", "bad", "left", "control"),
    ("j2", "c1", "good", "bad", "right", "Control "),
    ("j1", "c2", "A", "bad", "left", "bad"),
    ("j3", "c3", "C", "A", "left", "good"),
]
NAMES = ("judge", "item", "left", "right", "outcome", "kind")
COUNTS = {
    ("A", "B"): (3, 0, 1),
    ("A", "C"): (1, 1, 0),
    ("B", "C"): (2, 0, 0),
    ("C", "B"): (1, 0, 0),
}


def _mixed() -> list[tuple[str, ...]]:
    """Return the controls among the votes, not behind them."""
    rows = [*VOTES]
    for at, row in enumerate(CONTROLS):
        rows.insert(3 * at, row)
    return rows


def _frame(rows=None):
    return pl.DataFrame(_mixed() if rows is None else rows, schema=list(NAMES), orient="row")


def _cells(data):
    tally = data.tally()
    ends = zip(tally.left.tolist(), tally.right.tolist(), tally.counts.tolist(), strict=True)
    return {(tally.systems[a], tally.systems[b]): tuple(n) for a, b, n in ends}


ENGINES = {
    "polars": _frame,
    "lazy polars": lambda: _frame().lazy(),
    "pandas": lambda: _frame().to_pandas(),
    "categories": lambda: _frame().to_pandas().astype({"kind": "category"}),
    "missing": lambda: _frame().with_columns(pl.col("kind").replace({"": None})),
    "arrow": lambda: pa.table(_frame().to_dict(as_series=False)),
    "duckdb": lambda: duckdb.from_arrow(pa.table(_frame().to_dict(as_series=False))),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_leaves_out_four_controls(engine) -> None:
    kept = leave_out_controls(read(ENGINES[engine]()))
    assert _cells(kept) == COUNTS
    assert kept.source.notes[-1] == "4 controls excluded"


def test_a_table_without_controls_keeps_its_name_and_its_digest() -> None:
    data = read(_frame(VOTES))
    kept = leave_out_controls(data)
    assert (kept.source.name, kept.source.notes) == (data.source.name, data.source.notes)
    assert kept.tally().digest == read(_frame(VOTES).drop("kind")).tally().digest


def test_controls_alone_are_refused_in_words() -> None:
    with pytest.raises(InvalidJudgments, match="all 4 judgments of data frame are controls"):
        evenhand.rank(read(_frame(CONTROLS)))


def test_judges_are_not_set_beside_one_another_by_controls_alone() -> None:
    with pytest.raises(NotIdentified, match="all comparisons are controls or repeats"):
        evenhand.screen_judges(read(_frame(CONTROLS)))
    tell = compare_without(read(_frame(CONTROLS)))
    assert tell("j1").startswith("no ranking changes: all 4 judgments of data frame are controls")


def test_controls_beside_unknown_kinds_are_refused() -> None:
    odd = _frame().with_columns(kind=pl.col("kind").replace({"TGT": "chat"}))
    with pytest.raises(InvalidJudgments, match="taken as kind, holds chat"):
        leave_out_controls(read(odd))


@pytest.mark.parametrize("expected", ["left", "model_a"])
def test_comparisons_of_which_something_is_expected_are_controls_where_no_kinds_are(
    expected,
) -> None:
    frame = _frame().with_columns(
        expected=pl.when(pl.col("item").str.starts_with("c")).then(pl.lit(expected))
    )
    kept = leave_out_controls(read(frame.drop("kind")))
    assert (_cells(kept), kept.source.notes[-1]) == (COUNTS, "4 controls excluded")


def test_ratings_of_which_something_is_expected_are_controls_where_no_kinds_are() -> None:
    rows = [("j", "1", "A", 4, None), ("j", "1", "B", 1, 1.0), ("j", "2", "A", 5, None)]
    table = pd.DataFrame(rows, columns=["judge", "item", "system", "score", "expected"])
    assert leave_out_controls(read(table)).rows().score.tolist() == [4.0, 5.0]
    words = table.assign(expected=["", "bad", None])
    assert leave_out_controls(read(words)).rows().score.tolist() == [4.0, 5.0]


def _ranked(kind: str = "control") -> pd.DataFrame:
    """Return rankings A > B > C and A > C > B, a control, and one with a spoilt output among it."""
    orders = {"r1": "ABC", "r2": "ACB", "c": ("good", "bad"), "s": ("A", "bad", "B")}
    kinds = {"c": kind}
    rows = [
        (ranking, f"j{ranking}", "1", system, rank, kinds.get(ranking, "target"))
        for ranking, order in orders.items()
        for rank, system in enumerate(order, start=1)
    ]
    table = pd.DataFrame(rows, columns=["ranking", "judge", "item", "system", "rank", "kind"])
    table.loc[(table.ranking == "s") & (table.system == "bad"), "kind"] = "BAD"
    return table


RANKED = {("A", "B"): (3, 0, 0), ("A", "C"): (2, 0, 0), ("B", "C"): (1, 0, 1)}


def test_rankings_lose_controls_and_spoilt_outputs_alone() -> None:
    kept = leave_out_controls(read(_ranked()))
    assert _cells(kept.comparisons()) == RANKED
    assert kept.source.notes[-1] == "2 controls excluded"


def _many(*, controls: bool) -> Comparisons:
    """Return 8 judges who mostly prefer what stands left, with or without controls."""
    rows = [
        (f"j{j}", str(i), *pair, "left" if (i + j) % 4 else "right", "target")
        for j in range(8)
        for i in range(8)
        for pair in (("A", "B"), ("C", "B") if i % 3 else ("B", "C"), ("A", "C"))
    ]
    known = [(f"j{j}", f"c{i}", "good", "bad", "left", "control") for j in range(8) for i in "123"]
    frame = _frame([*known, *rows] if controls else rows)
    asked = pl.when(pl.col("kind") == "control").then(pl.lit("left")).alias("expected")
    return read(frame.with_columns(asked))


SAID = ("findings", "excluded", "signature")
"""Where a result tells of controls."""


def _plain(found):
    return {name: said for name, said in found.to_dict().items() if name not in SAID}


ASKED = {
    "rank": lambda data: evenhand.rank(data).rows(),
    "rank by judge cap": lambda data: evenhand.rank(data, judge_cap="median").rows(),
    "random judges": lambda data: evenhand.rank(data, model="random-judges").rows(),
    "methods": lambda data: evenhand.compare_methods(data).rows(),
    "position bias": lambda data: _plain(evenhand.find_position_bias(data)),
    "cycles": lambda data: _plain(evenhand.find_cycles(data)),
    "fragility": lambda data: evenhand.find_fragility(data).says,
    "choices": lambda data: evenhand.vary_choices(data).says,
    "tests": lambda data: evenhand.find_preferences(data).pairs.rows(),
    "models": lambda data: evenhand.tabulate_models(data).rows,
    "prediction": lambda data: [
        (one.model, one.loss)
        for one in evenhand.compare_models(
            data, models=["uniform", "adjusted-uniform"], folds=4
        ).scores
    ],
    "components": lambda data: evenhand.estimate_components(data).signature.split(" | excluded")[0],
    "next": lambda data: evenhand.choose_pairs(data, n=4).pairs,
    "watch": lambda data: evenhand.watch(data).board.to_dict()["systems"],
    "fit": lambda data: BradleyTerry().fit(data).log_worth.tolist(),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_said_of_systems_is_the_same_with_controls_and_without(asked) -> None:
    said = [repr(ASKED[asked](_many(controls=controls))) for controls in (True, False)]
    assert said[0] == said[1]


NOTED = {
    "methods": evenhand.compare_methods,
    "position bias": evenhand.find_position_bias,
    "cycles": evenhand.find_cycles,
    "fragility": evenhand.find_fragility,
    "models": evenhand.tabulate_models,
    "fit": BradleyTerry().fit,
}


@pytest.mark.parametrize("asked", NOTED)
def test_it_says_how_many_controls_it_left_out(asked) -> None:
    assert list(NOTED[asked](_many(controls=True)).notes).count("24 controls excluded") == 1


def test_judges_are_screened_by_the_controls_and_systems_are_not_made_of_them() -> None:
    data = _many(controls=True)
    (card,) = [one for one in evenhand.screen_judges(data).cards if one.judge == "j0"]
    assert "3 of 3" in repr(card)
    tell = compare_without(data)
    assert "good" not in tell("j0")


def test_what_is_in_a_table_counts_controls_and_links_systems_without_them() -> None:
    found = inspect(_many(controls=True)).total
    assert (found.judgments, found.controls, found.systems) == (216, 24, 5)
    assert (found.components, found.strongly_connected) == (1, True)
    alone = inspect(read(_frame(CONTROLS[:2]))).total
    assert (alone.controls, alone.components) == (2, 1)

"""Rows that lie in files give the fit that rows in memory give, and the words where there is none.

`row_reading.HELD` is the number of rows above which an engine hands them out in batches.
"""

import duckdb
import numpy as np
import polars as pl
import pytest
from narwhals import from_native

import evenhand
from controlled_rows import comparisons, simulate
from evenhand.data import engine as batches
from evenhand.data import streams as row_reading
from evenhand.data import streams as streaming
from evenhand.data.comparisons import Comparisons
from evenhand.data.query_log import watch_fetches
from evenhand.data.source import Source
from evenhand.data.streams import FiledColumn, code_rows, digest_rows
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.bradley_terry import BradleyTerry

# Ibis 12 asks DuckDB 1.5 by a name that it had before
pytestmark = pytest.mark.filterwarnings("ignore:fetch_record_batch:DeprecationWarning")
FRAME = simulate(7, n=600)
CONTROLS = ("length", "lists")
MODEL = BradleyTerry(controls=CONTROLS)
ENGINES = ("duckdb", "duckdb without connection", "polars lazy", "ibis")
_KEPT = []


def lazy(engine: str, frame: pl.DataFrame = FRAME, **settings) -> Comparisons:
    """The same rows in an engine that hands them out in batches."""
    if engine.startswith("duckdb"):
        connection = duckdb.connect()
        _KEPT.append(connection)
        table = from_native(connection.from_arrow(frame.to_arrow()))
        known = connection if engine == "duckdb" else None
        return Comparisons(table, source=Source(connection=known), **settings)
    if engine == "ibis":
        ibis = pytest.importorskip("ibis")
        return Comparisons(from_native(ibis.memtable(frame.to_arrow())), **settings)
    return Comparisons(from_native(frame.lazy()), **settings)


@pytest.fixture(autouse=True)
def streamed(monkeypatch):
    """Nothing is held; batches of the engine and of the sums have odd sizes."""
    monkeypatch.setattr(row_reading, "HELD", 0)
    monkeypatch.setattr(batches, "BATCH_ROWS", 97)
    monkeypatch.setattr(streaming, "BATCH", 97)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_fit_of_rows_in_memory(engine):
    held, filed = MODEL.fit(comparisons(FRAME)), MODEL.fit(lazy(engine))
    assert isinstance(filed.rows.keys, FiledColumn)
    assert isinstance(held.rows.keys, np.ndarray)
    assert filed.names == held.names
    assert filed.estimate == pytest.approx(held.estimate, abs=1e-10)
    assert filed.vcov == pytest.approx(held.vcov, abs=1e-10)
    assert filed.loglik == pytest.approx(held.loglik, rel=1e-12)
    assert (filed.deviance, filed.df) == (pytest.approx(held.deviance, rel=1e-12), held.df)
    assert (filed.steps, filed.notes) == (held.steps, held.notes)


@pytest.mark.parametrize("size", [7, 600])
def test_the_size_of_batches_changes_nothing(monkeypatch, size):
    frame = FRAME[:120] if size == 1 else FRAME
    whole = BradleyTerry(controls=("length",)).fit(comparisons(frame))
    monkeypatch.setattr(batches, "BATCH_ROWS", size)
    monkeypatch.setattr(streaming, "BATCH", size)
    parts = BradleyTerry(controls=("length",)).fit(lazy("duckdb", frame))
    assert parts.beta == pytest.approx(whole.beta, abs=1e-10)
    assert parts.vcov == pytest.approx(whole.vcov, abs=1e-10)


def test_one_pair_with_one_number_has_a_closed_form():
    """Two values of x, left and right alone: each log-odds is that of its own counts."""
    counts = {(1.0, "left"): 30, (1.0, "right"): 10, (0.0, "left"): 12, (0.0, "right"): 18}
    rows = [("a", "b", outcome, x) for (x, outcome), n in counts.items() for _ in range(n)]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome", "x"], orient="row")
    fit = BradleyTerry(controls=("x",)).fit(lazy("duckdb", frame))
    assert fit.log_worth[0] == pytest.approx(np.log(12 / 18), abs=1e-9)
    assert fit.model_effects[0].per_unit == pytest.approx(np.log(3) - np.log(12 / 18), abs=1e-9)
    error = fit.model_effects[0].stderr / fit.model_effects[0].sd
    assert error == pytest.approx(np.sqrt(1 / 30 + 1 / 10 + 1 / 12 + 1 / 18), abs=1e-9)


def test_a_ranking_is_that_of_rows_in_memory():
    held, filed = (
        evenhand.rank(data, controls=CONTROLS) for data in (comparisons(FRAME), lazy("duckdb"))
    )
    assert filed.signature == held.signature
    assert filed.log_worth == pytest.approx(held.log_worth, abs=1e-10)
    for one, other in zip(filed.controlled.effects, held.controlled.effects, strict=True):
        assert (one.estimate, one.stderr) == pytest.approx((other.estimate, other.stderr), abs=1e-9)


@pytest.mark.parametrize("kind", ["frequency", "importance"])
def test_weights_count_as_in_memory(kind):
    heavy = FRAME.with_columns(weight=pl.Series(np.arange(len(FRAME)) % 3 + 0.0))
    tables = Comparisons(from_native(heavy), weights=kind), lazy("duckdb", heavy, weights=kind)
    held, filed = (code_rows(data, ["length"], by=["judge"]) for data in tables)
    assert isinstance(filed.weights, FiledColumn)
    assert filed.zero_weight == held.zero_weight == 200
    assert digest_rows(filed) == digest_rows(held)
    one, two = held.tally(("judge",)), filed.tally(("judge",))
    assert two.counts.tolist() == one.counts.tolist()
    assert (one.squares is None) == (two.squares is None) == (kind == "frequency")
    if one.squares is not None:
        assert two.squares.tolist() == one.squares.tolist()


REFUSED = {
    "missing": pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise(pl.col("length")),
    "infinite": pl.when(pl.int_range(pl.len()) == 3).then(np.inf).otherwise(pl.col("length")),
    "constant": pl.lit(2.5),
    "nothing": pl.lit(0.0),
    "of the systems": pl.col("left").str.slice(1).cast(float)
    - pl.col("right").str.slice(1).cast(float),
    "decides": pl.when(pl.col("outcome") == "left").then(1.0).otherwise(-1.0) * pl.col("x"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_worded_as_in_memory(case):
    frame = FRAME.with_columns(x=pl.lit(1.0) + pl.col("length").abs())
    if case == "decides":
        frame = frame.filter(pl.col("outcome") != "tie")
    frame = frame.with_columns(length=REFUSED[case])
    model, words = BradleyTerry(controls=("length",)), []
    for data in (comparisons(frame), lazy("duckdb", frame)):
        with pytest.raises((InvalidJudgments, NotIdentified)) as refusal:
            model.fit(data)
        words.append(str(refusal.value).replace(data.source.name, "TABLE"))
    assert words[0].partition(" of TABLE")[0] == words[1].partition(" of TABLE")[0]
    assert "length" in words[0]


def test_rows_leave_the_engine_once():
    with watch_fetches() as fetches:
        MODEL.fit(lazy("duckdb"))
    (one,) = [fetch for fetch in fetches if fetch.batches]
    assert one.rows == len(FRAME)
    assert max(fetch.rows for fetch in fetches if not fetch.batches) < 10

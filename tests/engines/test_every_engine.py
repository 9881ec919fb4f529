"""One code path on every engine: each cell, total, note and refusal is the one DuckDB gives."""

import json
import os
import re
from collections.abc import Mapping

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import evenhand
from engines_matrix import HERE, POSTGRES, SPARK, Places, rankings, ratings, votes
from evenhand.cli.main import main
from evenhand.data import count as counting
from evenhand.data import engine as batches
from evenhand.data import streams as row_reading
from evenhand.data.controls import leave_out_controls
from evenhand.data.query_log import watch_fetches
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.weights import Mix
from evenhand.errors import EvenhandError
from evenhand.formats.reading import read
from evenhand.judges.agreement import measure_agreement
from evenhand.models.bradley_terry import BradleyTerry
from postgres_server import run_server
from spark_sessions import run_spark, why_no_spark


def cells(tally):
    """Counts by (levels, left, right), squares, totals and the digest."""
    found = {}
    for at in range(len(tally.left)):
        levels = [own.labels[own.codes[at]] for own in tally.factors.values()]
        key = (*levels, tally.systems[tally.left[at]], tally.systems[tally.right[at]])
        found[key] = np.round(tally.counts[at], 9).tolist()
    loads = {name: own.loads.tolist() for name, own in tally.factors.items()}
    squares = None if tally.squares is None else np.round(tally.squares, 9).tolist()
    totals = (tally.n_judgments, round(tally.n_comparisons, 9), tally.zero_weight)
    return found, loads, squares, totals, tally.digest


def ask_rows(rows):
    """Every rating with its labels, in an order of its own, and what the notes say."""
    named = zip(
        np.array(rows.judges)[rows.judge],
        np.array(rows.items)[rows.item],
        np.array(rows.systems)[rows.system],
        np.array(rows.criteria)[rows.criterion],
        rows.score,
        strict=True,
    )
    return sorted(tuple(map(str, one)) for one in named), rows.missing, rows.notes


def ask_votes(found):
    """Every vote with its labels, in an order of its own."""
    named = zip(
        np.array(found.judges)[found.judge],
        np.array(found.items)[found.item],
        np.array(found.systems)[found.left],
        np.array(found.systems)[found.right],
        found.outcome.tolist(),
        strict=True,
    )
    return sorted(tuple(map(str, one)) for one in named), found.notes


def ask_ranked(data):
    """Pairs by judge and ranking, and how many rankings say what."""
    held = data.comparisons()
    return (
        cells(held.tally(("judge",))),
        cells(held.tally(("ranking",))),
        (data.count(), data.count_blank(), data.count_used(), data.count_blank_ranks()),
    )


def ask_agreement(data):
    """n-agreement and the coefficients of every criterion."""
    return measure_agreement(data, coefficients=("n-agreement", "alpha")).records()


def ask_parts(data, **settings):
    """The parts of each table of agreement, as JSON has them."""
    found = measure_agreement(data, **settings)
    tables = found.values() if isinstance(found, Mapping) else [found]
    return [plain(table.to_dict()) for table in tables]


def plain(found):
    """The same with numbers to the tenth digit, and without the signature."""
    if isinstance(found, dict):
        return {name: plain(own) for name, own in found.items() if name != "signature"}
    if isinstance(found, list | tuple):
        return [plain(own) for own in found]
    return round(found, 10) if isinstance(found, float) else found


def without(columns, *names):
    return {name: own for name, own in columns.items() if name not in names}


PLAIN = without(votes(), "weight")
WINNERS = {
    **without(PLAIN, "winner"),
    "winner": [
        {"model_a": a, "model_b": b}.get(won, "tie")
        for a, b, won in zip(PLAIN["model_a"], PLAIN["model_b"], PLAIN["winner"], strict=True)
    ],
}
MERGED = {
    **PLAIN,
    "model_a": ["x+y" if at % 7 == 0 else one for at, one in enumerate(PLAIN["model_a"])],
}
CONTROLS = {**PLAIN, "kind": ["control" if at % 9 == 0 else "target" for at in range(300)]}
SCORED = {
    **{name: own * 2 for name, own in ratings().items()},  # answered again, later
    "shown_at": [at // 120 * 1000 + at % 7 for at in range(240)],
    "kind": [
        "repeat" if at % 11 == 5 else "control" if at % 13 == 5 else None for at in range(240)
    ],
}
SCORED["score"] = [one if one is None else one * 10 + 5 for one in SCORED["score"]]
SCORED["score"][120:] = SCORED["score"][125:] + [15] * 5
TASKS = {**ratings(), "task": [("de-en", "fr-en")[at // 7 % 2] for at in range(120)]}
WHOLE = bool(os.environ.get("EVENHAND_WHOLE"))
WORDS = ("Seg", "seg", "seg-", "seg_")
"""Names of items that stand in another order where a database sorts as a language does."""
NAMED = {
    **SCORED,
    "item": [f"{WORDS[one % 4]}{one // 4}" for one in SCORED["item"]],
    "score": [None if one is None else (one / 10) ** 0.5 for one in SCORED["score"]],
}
VOTED = {
    **without(PLAIN, "task"),
    "shown_at": [at * 7919 % 300 for at in range(300)],
    "kind": [
        "repeat" if at % 11 == 5 else "control" if at % 13 == 5 else None for at in range(300)
    ],
}


# of Spark and Ibis, about the version of pandas
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

slow_spark = [pytest.param(name, marks=pytest.mark.slow) for name in SPARK]
others = [name for name in HERE if name not in ("duckdb", "ibis sqlite")]
slow_sqlite = pytest.param("ibis sqlite", marks=pytest.mark.slow)
every_engine = pytest.mark.parametrize("engine", [*others, slow_sqlite, POSTGRES, *slow_spark])


OF_OTHER_COLUMNS = (
    *("by item", "by judge and item", "by group", "one task", "a filter of labels"),
    *("importance", "no judge", "no item", "no weight", "an empty name"),
)
"""Cases whose queries are those of others, with other columns or values in them."""


def ask_everywhere(named, cases, of_pyspark):
    """Every case of every engine, but of pyspark those in which rows come back in other ways.

    Narwhals makes the same query for both kinds of Spark; Connect also has to send it, but for what
    only names other columns than another case does, without EVENHAND_WHOLE.
    """
    assert {*of_pyspark} <= {*cases}
    (connect,) = (one for one in slow_spark if one.values != ("pyspark",))
    pairs = [
        pytest.param(*one.values, case, marks=one.marks)
        for one in (*map(pytest.param, (*others, POSTGRES)), slow_sqlite, connect)
        for case in cases
        if WHOLE or one is not connect or case not in OF_OTHER_COLUMNS
    ]
    pairs += [pytest.param("pyspark", case, marks=pytest.mark.slow) for case in of_pyspark]
    return pytest.mark.parametrize(("engine", named), pairs)


@pytest.fixture(scope="module")
def here():
    return Places()


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    if missing := why_no_spark():
        pytest.skip(missing)
    with run_spark(tmp_path_factory.mktemp("spark")) as sessions:
        yield Places(sessions)


@pytest.fixture(scope="module")
def postgres():
    pytest.importorskip("ibis", reason="ibis is not installed")
    with run_server() as server:
        server.run(
            "create database english template template0"
            " locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'"
        )
        places = Places(postgres=server.name("english"))
        yield places
        places.close()


@pytest.fixture
def places(engine, here, request):
    server = "spark" if engine in SPARK else "postgres" if engine == POSTGRES else None
    return request.getfixturevalue(server) if server else here


PEOPLE = {"judge": [f"j{i}" for i in range(12)], "language": ["de", "fr", "it"] * 4}
SHARES = {"group": {"expert": 0.8, "crowd": 0.2}}
LONG = nw.col("length") > 100
FEW = ~nw.col("judge").is_in(["j1", "j2"])


ANSWERS = {}
"""What DuckDB said, asked once."""

QUESTIONS = {
    "all votes": (PLAIN, {}, lambda data: cells(data.tally())),
    "by judge": (PLAIN, {}, lambda data: cells(data.tally(("judge",)))),
    "by item": (PLAIN, {}, lambda data: cells(data.tally(("item",)))),
    "by judge and item": (PLAIN, {}, lambda data: cells(data.tally(("judge", "item")))),
    "by group": (PLAIN, {}, lambda data: cells(data.tally(("group",)))),
    "by task and judge": (PLAIN, {}, lambda data: cells(data.tally(("task", "judge")))),
    "judges in 4 clusters": (
        PLAIN,
        {},
        lambda data: cells(data.tally(("judge",), limits={"judge": 4})),
    ),
    "one task": (PLAIN, {"task": "de-en"}, lambda data: cells(data.tally(("judge",)))),
    "a filter": (PLAIN, {"where": LONG}, lambda data: cells(data.tally(("judge",)))),
    "a filter of labels": (PLAIN, {"where": FEW}, lambda data: cells(data.tally(("judge",)))),
    "without judges": (
        PLAIN,
        {},
        lambda data: cells(data.without(judges=["j3"]).tally(("judge",))),
    ),
    "bins of a covariate": (
        PLAIN,
        {},
        lambda data: cells(data.cut("length", [60, 120.5]).tally(("length_bin", "group"))),
    ),
    "bins of text": (
        {**PLAIN, "length": [f" {one} " for one in PLAIN["length"]]},
        {},
        lambda data: cells(data.cut("length", [60, 120.5]).tally(("length_bin", "group"))),
    ),
    "weights": (votes(), {}, lambda data: cells(data.tally(("judge",)))),
    "importance": (votes(), {"weights": "importance"}, lambda data: cells(data.tally(("group",)))),
    "winners by name": (WINNERS, {}, lambda data: cells(data.tally())),
    "merged outputs": (
        MERGED,
        {"system_separator": "+"},
        lambda data: cells(data.tally(("judge",))),
    ),
    "controls": (CONTROLS, {}, lambda data: cells(leave_out_controls(data).tally(("judge",)))),
    # sums of fractions differ in the last digit, by the order of rows, and so does their digest
    "a mix": (PLAIN, {}, lambda data: cells(Mix(SHARES, each="judge").weigh(data).tally())[:-1]),
    "vote by vote": (votes(), {}, lambda data: ask_votes(data.votes())),
    "rankings": (rankings(), {}, ask_ranked),
    "ratings": (ratings(), {}, lambda data: ask_rows(data.rows())),
    "n-agreement": (ratings(), {}, ask_agreement),
    "agreement of systems": (SCORED, {}, lambda data: ask_parts(data, by=["system"])),
    "agreement of named items": (NAMED, {}, ask_parts),
    "agreement of tasks": (TASKS, {}, ask_parts),
    "agreement of votes": (VOTED, {}, ask_parts),
    "what was understood": (PLAIN, {}, lambda data: (data.source.notes, data.columns)),
}


@ask_everywhere(
    "question",
    QUESTIONS,
    (
        "by judge",
        "weights",
        "a mix",
        "merged outputs",
        "vote by vote",
        "rankings",
        "ratings",
        "agreement of votes",
    ),
)
def test_every_answer_is_that_of_duckdb(engine, places, here, question):
    columns, settings, ask = QUESTIONS[question]
    found = ask(read(places.frame(columns, engine), **settings))
    if question not in ANSWERS:
        ANSWERS[question] = ask(read(here.frame(columns, "duckdb"), **settings))
    assert found == ANSWERS[question]


@pytest.mark.slow
def test_a_frame_of_spark_is_ranked(spark):
    columns = without(PLAIN, "task")
    found = evenhand.rank(spark.frame(columns, "pyspark"))
    assert found.signature == evenhand.rank(columns).signature


@every_engine
def test_covariates_of_judges_are_joined(engine, places, here):
    tallies = [
        read(where.frame(PLAIN, one)).join(pl.DataFrame(PEOPLE)).tally(("language",))
        for where, one in ((places, engine), (here, "polars"))
    ]
    assert cells(tallies[0]) == cells(tallies[1])
    assert sum(tallies[0].factor("language").loads) == 300


def change(columns, name, value):
    """The same table with a value in the fifth row."""
    own = [*columns[name]]
    own[4] = value
    return {**columns, name: own}


REFUSALS = {
    "an unknown outcome": (change(PLAIN, "winner", "modelA"), {}),
    "no system": (change(PLAIN, "model_b", None), {}),
    "an empty name": (change(PLAIN, "model_b", ""), {}),
    "a blank after a name": (change(PLAIN, "model_b", "alpha "), {}),
    "a system against itself": (change(PLAIN, "model_a", PLAIN["model_b"][4]), {}),
    "no judge": (change(PLAIN, "judge", None), {}),
    "no item": (change({**PLAIN, "item": PLAIN["group"]}, "item", None), {}),
    "a negative weight": (change(votes(), "weight", -1), {}),
    "no weight": (change(votes(), "weight", None), {}),
    "half a weight": ({**votes(), "weight": [0.5] * 300}, {}),
    "no such task": (PLAIN, {"task": "de_en"}),
    "nothing left": (PLAIN, {"where": nw.col("length") < 0}),
    "a rank of 0": (change(rankings(), "rank", 0), {}),
    "a system ranked twice": (change(rankings(), "system", rankings()["system"][5]), {}),
    "a rating of nobody": (change(ratings(), "judge", None), {}),
    "a part without a name": (change(PLAIN, "model_a", "x+"), {"system_separator": "+"}),
}


def count(frame, settings):
    data = read(frame, **settings)
    data = data.comparisons() if isinstance(data, Rankings) else data
    return data.rows() if isinstance(data, Ratings) else data.tally(("judge", "item"))


def refusal(frame, settings):
    """What is said of a table that cannot be counted, without the rows that it names.

    How to leave rows out is said in SQL or in Python: tests/data/test_conditions.py.
    """
    with pytest.raises(EvenhandError) as caught:
        count(frame, settings)
    said, left_out, _ = str(caught.value).partition("or leave such rows out")
    return type(caught.value), re.sub(r" \(rows? [\d, ]+\)", "", said + left_out)


@ask_everywhere(
    "fault", REFUSALS, ("an unknown outcome", "no such task", "a rank of 0", "a rating of nobody")
)
def test_every_refusal_is_that_of_duckdb(engine, places, here, fault):
    columns, settings = REFUSALS[fault]
    said = refusal(places.frame(columns, engine), settings)
    if fault not in ANSWERS:
        ANSWERS[fault] = refusal(here.frame(columns, "duckdb"), settings)
    assert said == ANSWERS[fault]


@every_engine
def test_rows_without_an_outcome_are_excluded_alike(engine, places):
    for gap in (None, "NaN"):
        data = read(places.frame(change(PLAIN, "winner", gap), engine))
        every = len(PLAIN["winner"])
        assert [(one.code, one.rows, one.of_rows) for one in data.excluded] == [
            ("no-outcome", 1, every)
        ]
        assert data.tally().n_judgments == every - 1


lazy_engine = pytest.mark.parametrize(
    "engine", ["polars lazy", "duckdb", "ibis duckdb", slow_sqlite, *slow_spark]
)


@lazy_engine
def test_of_many_rows_only_a_look_and_the_cells_leave_a_lazy_engine(engine, places, monkeypatch):
    monkeypatch.setattr(counting, "SAMPLE", 50)
    monkeypatch.setattr(counting, "EVERY", 1)
    many = without(votes(rows=5000), "weight")
    frame = places.frame(many, engine)
    with watch_fetches() as fetches:
        tally = read(frame).tally(("group",))
    found = {one.columns: one.rows for one in fetches}
    looks = [one.rows for one in fetches if "evenhand_count" not in one.columns]
    assert tally.n_judgments == 5000
    # whether labels have blanks around them, who is named as winner, and whether cells are many
    assert looks == [1, 1000, 50]
    assert found["group", "left", "right", "outcome", "evenhand_count"] == 2 * 20 * 4
    assert all(one.query for one in fetches)


@lazy_engine
def test_cells_about_as_many_as_rows_leave_as_one_number_each_or_counted(
    engine, places, here, monkeypatch
):
    monkeypatch.setattr(counting, "SAMPLE", 50)
    many = {**PLAIN, "judge": [f"j{at}" for at in range(300)]}
    with watch_fetches() as fetches:
        tally = read(places.frame(many, engine)).tally(("judge",))
    assert cells(tally) == cells(read(here.frame(many, "pandas")).tally(("judge",)))
    whole = [one.columns for one in fetches if one.rows == 300 and len(one.columns) > 3]
    counted = [("judge", "left", "right", "outcome", "evenhand_count")]
    assert whole == ([] if engine == "polars lazy" else counted)


@lazy_engine
def test_rows_with_a_number_each_leave_a_lazy_engine_in_batches(engine, places, here, monkeypatch):
    spread = [(7 * at % 23 - 11) / 8 for at in range(300)]
    columns, model = {**PLAIN, "length": spread}, BradleyTerry(controls=("length",))
    held = model.fit(read(here.frame(columns, "pandas")))
    monkeypatch.setattr(row_reading, "HELD", 0)
    monkeypatch.setattr(batches, "BATCH_ROWS", 64)
    with watch_fetches() as fetches:
        streamed = model.fit(read(places.frame(columns, engine)))
    assert [one.rows for one in fetches if one.batches] == [300]
    assert streamed.estimate == pytest.approx(held.estimate, abs=1e-10)
    assert streamed.vcov == pytest.approx(held.vcov, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["spark connect"])
@pytest.mark.parametrize("asked", ["/votes_view", "?table=votes_view", "?path={path}"])
def test_a_url_of_a_server_ranks_as_the_file_does(engine, places, tmp_path, asked):
    path = tmp_path / "votes.parquet"
    pl.DataFrame(PLAIN).write_parquet(path)
    places.frame(PLAIN, engine).createOrReplaceTempView("votes_view")
    url = places.sessions["address"] + asked.format(path=path) + ";user_agent=secretagent"
    found = []
    for source in (url, str(path)):
        result = CliRunner().invoke(main, ["rank", source, "--task", "de-en", "--json"])
        assert result.exit_code == 0, result.output
        assert "secretagent" not in result.output
        found.append(json.loads(result.stdout))
    assert found[0]["systems"] == found[1]["systems"]
    assert found[0]["signature"] == found[1]["signature"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["spark connect"])
def test_a_table_that_a_server_does_not_have_is_named(engine, places):
    url = places.sessions["address"] + "/nosuch;user_agent=secretagent"
    result = CliRunner().invoke(main, ["rank", url])
    assert result.exit_code == 2
    assert "nosuch" in result.output
    assert "secretagent" not in result.output

"""What holds judgments is taken by every public function as what `evenhand.read` makes of it."""

import inspect
import json
import random
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand
from evenhand.data.results import Shown
from evenhand.errors import InvalidJudgments, MissingFile, UnknownFormat, UnknownOption
from evenhand.web.store.store import Store
from stored_campaigns import LEFT, RIGHT, HandClock, fill, judge_next

DICE = random.Random(3)
BEST_FIRST = "lark", "wren", "finch"


def draw_row(n):
    one, other = DICE.sample(BEST_FIRST, 2)
    better = "model_a" if BEST_FIRST.index(one) < BEST_FIRST.index(other) else "model_b"
    return {
        "judge": f"j{n % 4}",
        "item": f"i{n % 9}",
        "model_a": one,
        "model_b": other,
        "winner": DICE.choice(["model_a", "tie", "model_b", better, better]),
        "time": f"2026-01-01T00:{n // 60:02}:{n % 60:02}",
        "crowd": "expert" if n % 4 else "layman",
    }


ROWS = [draw_row(n) for n in range(240)]
PAIRS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
SCORES = {
    "judge": [*(judge for judge in "abcdef" for _ in range(24)), None],
    "item": [*(f"i{n % 8}" for n in range(144)), "new"],
    "system": [*(f"s{n // 8 % 3}" for n in range(144)), "s1"],
    "score": [*(DICE.randint(1, 5) for _ in range(144)), None],
}


def write_csv(folder: Path) -> Path:
    path = folder / "votes.csv"
    pl.DataFrame(PAIRS).write_csv(path)
    return path


DOORS = {
    "a path": write_csv,
    "a path as text": lambda folder: str(write_csv(folder)),
    "a list of paths": lambda folder: [write_csv(folder)],
    "a pattern": lambda folder: str(write_csv(folder).with_name("vot*.csv")),
    "what read returns": lambda folder: evenhand.read(write_csv(folder)),
    "pandas": lambda _: pd.DataFrame(PAIRS),
    "a named index": lambda _: pd.DataFrame(PAIRS).set_index("judge"),
    "two named indexes": lambda _: pd.DataFrame(PAIRS).set_index(["winner", "judge"]),
    "an index kept as column": lambda _: pd.DataFrame(PAIRS).set_index("judge", drop=False),
    "Polars": lambda _: pl.DataFrame(PAIRS),
    "Polars, lazy": lambda _: pl.LazyFrame(PAIRS),
    "Arrow": lambda _: pa.table(PAIRS),
    "DuckDB": lambda _: duckdb.from_arrow(pa.table(PAIRS)),
    "a dict of lists": lambda _: PAIRS,
    "a dict of arrays": lambda _: {name: np.array(values) for name, values in PAIRS.items()},
    "a dict of series": lambda _: {name: pd.Series(values) for name, values in PAIRS.items()},
    "a dict of Arrow": lambda _: {name: pa.array(values) for name, values in PAIRS.items()},
    "a list of dicts": lambda _: ROWS,
    "a tuple of dicts": lambda _: tuple(ROWS),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_every_door_leads_to_the_same_ranking(door, tmp_path):
    """The signature holds the digest of the counts."""
    expected = evenhand.rank(evenhand.read(pl.DataFrame(PAIRS)))
    assert evenhand.rank(door(tmp_path)).signature == expected.signature


# Hugging Face


@pytest.fixture
def datasets():
    """The package of Hugging Face; `tests/datasets` is a folder of this name."""
    package = pytest.importorskip("datasets")
    return package if hasattr(package, "Dataset") else pytest.skip("datasets is not installed")


def test_a_data_set_of_hugging_face_is_ranked_also_shuffled_and_with_coded_labels(datasets):
    data, expected = datasets.Dataset.from_list(ROWS), evenhand.rank(PAIRS).signature
    coded = data.cast_column("winner", datasets.ClassLabel(names=["tie", "model_b", "model_a"]))
    for one in (data, data.shuffle(seed=1), coded, [*data.to_iterable_dataset()]):
        assert evenhand.rank(one).signature == expected
    half = evenhand.rank(data.select(range(80)))
    assert half.signature == evenhand.rank(ROWS[:80]).signature
    without = datasets.Dataset.from_dict(
        PAIRS | {"winner": [-1, 0, *[0, 2, 1] * 79, 0]}, features=coded.features
    )
    assert evenhand.rank(without).n_judgments == 239


def test_splits_are_named_and_a_stream_is_told_from_a_data_set(datasets):
    data = datasets.Dataset.from_list(ROWS)
    both = datasets.DatasetDict(train=data, test=data)
    with pytest.raises(UnknownFormat, match=r"DatasetDict .*\(data\['train'\], data\['test'\]\)$"):
        evenhand.rank(both)
    with pytest.raises(UnknownFormat, match=r"streaming=False, or pass list\(data\)$"):
        evenhand.rank(data.to_iterable_dataset())


# Values as they lie in memory


def test_missing_values_of_any_library_are_missing_and_numbers_stay_whole():
    columns = {
        "judge": [1, 2, np.int64(1), 2],
        "item": pd.array([7, None, 8, 8], dtype="Int64"),
        "system": ["x", "y", "x", "y"],
        "score": [1.5, float("nan"), None, np.float64(4)],
        "date": [datetime(2026, 1, 1, tzinfo=UTC), pd.NaT, None, None],
    }
    data = evenhand.read(columns)
    assert (data.rows().judges, data.rows().items) == (("1", "2"), ("7", "8"))
    assert [one.rows for one in data.excluded if one.code == "no-score"] == [2]


def test_rows_may_lack_what_others_have():
    rows = [{**row, "comment": "good"} if n % 2 else row for n, row in enumerate(ROWS)]
    assert evenhand.rank(rows).signature == evenhand.rank(ROWS).signature


def test_a_condition_is_one_on_the_numbers_of_a_dict():
    best = [n for n, score in enumerate(SCORES["score"]) if score and score > 2]
    alone = {name: [values[n] for n in best] for name, values in SCORES.items()}
    assert evenhand.read(SCORES, where="score > 2").rows().score.tolist() == alone["score"]


@pytest.mark.parametrize(
    ("source", "kind", "refusal"),
    [
        ("votes.csv", MissingFile, "there is no file 'votes.csv'"),
        (3, UnknownFormat, "int is neither a file name nor a data frame"),
        (pd.Series([1, 2]), UnknownFormat, "Series is neither"),
        ({"a": 1}, UnknownFormat, "'a' of the dict is int, no column"),
        ({"a": "xyz"}, UnknownFormat, "'a' of the dict is str, no column"),
        ({"a": [1], "b": [1, 2]}, UnknownFormat, "'a' has 1 values and 'b' 2"),
        ({3: [1]}, UnknownFormat, "column name 3 of the dict is no text but int"),
        ({}, InvalidJudgments, "the dict has no rows"),
        ({"a": []}, InvalidJudgments, "the dict has no rows"),
        ([{"a": 1}, 3], UnknownFormat, "row 2 of the list is no dict but int"),
        (None, InvalidJudgments, "not NoneType: pass what evenhand.read opens"),
    ],
)  # fmt: skip
def test_what_holds_no_judgments_is_refused_in_one_line(source, kind, refusal):
    with pytest.raises(kind, match=re.escape(refusal)) as caught:
        evenhand.rank(source)
    assert "\n" not in str(caught.value)


def test_an_index_that_says_otherwise_than_its_column_is_refused():
    frame = pd.DataFrame(PAIRS).set_index("judge", drop=False).assign(judge="x")
    with pytest.raises(UnknownFormat, match="index and a column called 'judge', and they differ"):
        evenhand.rank(frame)


def test_the_database_of_a_campaign_is_read(tmp_path):
    with Store.open(str(tmp_path / "campaign.db"), start=HandClock().start) as store:
        fill(store)
        for judge in ("j0", "j1"):
            for answer in (LEFT, RIGHT, LEFT):
                judge_next(store, judge, answer)
    for source in (tmp_path / "campaign.db", str(tmp_path / "campaign.db")):
        ranking = evenhand.rank(source)
        assert (ranking.systems, ranking.n_judgments) == (("A", "B"), 6)


# Every public function

FEATURES = evenhand.OutputFeatures(labels=("system",))
SMALL = evenhand.MultiTaskGP(sharing="full", draws=0)
HALVES = evenhand.Mix({"crowd": {"expert": 0.5, "layman": 0.5}})
BRIEF = {"sweeps": 30, "burn_in": 10, "chains": 2}


@cache
def learn_once():
    return SMALL.fit(SCORES, FEATURES)


VERDICTS = {  # on what people judged, and on as much again
    "judge": ["gpt"] * 2 * len(ROWS),
    "item": [*PAIRS["item"], *(f"new {item}" for item in PAIRS["item"])],
    **{name: PAIRS[name] * 2 for name in ("model_a", "model_b", "winner")},
}
CALLS = {
    "AdjustedUniform.fit": evenhand.AdjustedUniform().fit,
    "BradleyTerry.fit": evenhand.BradleyTerry().fit,
    "DawidSkene.fit": evenhand.DawidSkene().fit,
    "IRTCategorical.fit": evenhand.IRTCategorical(**BRIEF).fit,
    "IRTGaussian.fit": evenhand.IRTGaussian(**BRIEF).fit,
    "IndependentPairs.fit": evenhand.IndependentPairs().fit,
    "IndependentStudents.fit": evenhand.IndependentStudents().fit,
    "JudgeSlopes.fit": evenhand.JudgeSlopes().fit,
    "MACE.fit": evenhand.MACE(restarts=2).fit,
    "Mix.weigh": lambda data: HALVES.weigh(data).tally(),
    "PatternModel.fit": evenhand.PatternModel().fit,
    "PlackettLuce.fit": evenhand.PlackettLuce().fit,
    "RandomJudges.fit": evenhand.RandomJudges().fit,
    "Uniform.fit": evenhand.Uniform().fit,
    "check_borders": lambda data: evenhand.check_borders(data, after=1),
    "choose_pairs": lambda data: evenhand.choose_pairs(data, n=3),
    "compare_methods": lambda data: evenhand.compare_methods(data, methods=["origwmt", "bojar"]),
    "compare_models": lambda data: evenhand.compare_models(data, models=["uniform"], folds=2),
    "estimate_components": evenhand.estimate_components,
    "find_cycles": evenhand.find_cycles,
    "find_fragility": evenhand.find_fragility,
    "find_llm_bias": lambda data: evenhand.find_llm_bias(data, llm_judges="j0"),
    "find_position_bias": evenhand.find_position_bias,
    "find_preferences": evenhand.find_preferences,
    "make_report": lambda data: evenhand.make_report(data, sections=["ranking"]),
    "measure_agreement": evenhand.measure_agreement,
    "measure_savings": lambda data: evenhand.measure_savings(data, evenhand.Policy(), replays=2),
    "plan_gate": lambda data: evenhand.plan_gate(0.2, pilot=data, campaigns=0).to_dict(),
    "plan_campaign": lambda data: evenhand.plan_campaign({"judges": 30}, pilot=data, campaigns=0),
    "rank": evenhand.rank,
    "rank_prediction_powered": lambda data: evenhand.rank_prediction_powered(
        data, llm=VERDICTS, method="win-rate"
    ),
    "sample_for_llm": lambda data: evenhand.sample_for_llm(data, VERDICTS, n=5),
    "screen_judges": evenhand.screen_judges,
    "tabulate_models": evenhand.tabulate_models,
    "trace_learning": lambda data: evenhand.trace_learning(
        data, training=data, models=["uniform"], sizes=[20], least=10, trials=1
    ).losses.tolist(),
    "vary_choices": evenhand.vary_choices,
    "watch": evenhand.watch,
}
CALLS_OF_SCORES = {
    "Adjusted.fit": evenhand.Adjusted().fit,
    "Means.fit": evenhand.Means().fit,
    "Mixed.fit": evenhand.Mixed().fit,
    "Ordinal.fit": evenhand.Ordinal().fit,
    "ZScores.fit": evenhand.ZScores().fit,
    "JudgeProcess.predict": lambda data: learn_once().predict(data).mean.tolist(),
    "MultiTaskGP.fit": lambda data: SMALL.fit(data, FEATURES),
    "NuclearNorm.fit": evenhand.NuclearNorm().fit,
    "NuclearNorm.fit_groups": evenhand.NuclearNorm().fit_groups,
    "OutputFeatures.read_rows": lambda data: FEATURES.read_rows(data).score.tolist(),
    "choose_outputs": lambda data: evenhand.choose_outputs(data, FEATURES, n=2),
    "compare_processes": lambda data: evenhand.compare_processes(
        data, FEATURES, evenhand.HeldOut(folds=2, splits=1), models={"multi-task": SMALL}
    ),
    "diagnose_groups": evenhand.diagnose_groups,
    "diagnose_judges": evenhand.diagnose_judges,
    "find_differences": evenhand.find_differences,
    "find_rating_bias": evenhand.find_rating_bias,
    "gate": lambda data: evenhand.gate(data, new="s1", old="s0", margin=0.5).to_dict(),
    "meta_evaluate": lambda data: evenhand.meta_evaluate(
        data, {"system": ["s0", "s1", "s2"], "metric_a": [1.0, 3.0, 2.0]}
    ).to_dict(),
    "replace": lambda data: evenhand.replace(data, llm_judges="a", epsilon=0.1).to_dict(),
    "study_decisions": lambda data: evenhand.study_decisions(data, draws=2),
    "trace_queries": lambda data: evenhand.trace_queries(
        data,
        FEATURES,
        (evenhand.Query("random"), evenhand.Query("uncertainty")),
        evenhand.QueryReplay(repeats=2, start=5, batch=20),
        test=pl.DataFrame(SCORES).with_columns(item="n" + pl.col("item")),
    ),
}


def list_takers():
    """The public functions and methods that say that they take what `evenhand.read` opens."""
    known = re.compile(r"\b(Openable|Judgments|Comparisons|Rankings|Ratings)\b")
    for name in evenhand.__all__:
        value = getattr(evenhand, name)
        members = {name: value} if inspect.isfunction(value) else {}
        if inspect.isclass(value) and name not in ("Comparisons", "Rankings", "Ratings"):
            members = {
                f"{name}.{key}": one for key, one in inspect.getmembers(value) if key[0] != "_"
            }
        for place, one in members.items():
            if inspect.isfunction(one) and any(
                known.search(str(parameter.annotation))
                for parameter in inspect.signature(one).parameters.values()
            ):
                yield place


def test_every_public_function_that_takes_judgments_is_tried_here():
    assert sorted(list_takers()) == sorted([*CALLS, *CALLS_OF_SCORES])


@pytest.mark.parametrize(
    ("call", "columns"),
    [
        *((one, PAIRS) for one in CALLS.values()),
        *((one, SCORES) for one in CALLS_OF_SCORES.values()),
    ],
    ids=[*CALLS, *CALLS_OF_SCORES],
)
def test_a_file_and_a_dict_are_taken_as_what_read_returns(call, columns, tmp_path):
    pl.DataFrame(columns).write_csv(tmp_path / "data.csv")
    opened, from_file, from_dict = (
        call(one) for one in (evenhand.read(columns), tmp_path / "data.csv", columns)
    )
    assert say(from_file).replace("data.csv", "dict") == say(from_dict) == say(opened)
    if isinstance(from_dict, Shown):
        show(from_dict)


NO_TABLE = ("UniformFit",)
NO_FIGURE = (
    *("Borders", "Completion", "Cycles", "Fragility", "Grouped", "GroupedDiagnoses"),
    *("GroupedTests", "LLMBiases", "LabelFit", "MethodTable", "ModelTable", "NextOutputs"),
    *(
        "NextPairs",
        "PoweredRanking",
        "PreferenceTests",
        "ProcessErrors",
        "SampledPairs",
        "Savings",
        "ScoreTests",
        "Watched",
    ),
)


def show(result):
    """Every result is shown in all ways; one without a table or a figure says so."""
    kind = type(result).__name__
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert "<" in result._repr_html_()
    if kind in NO_TABLE and not result.coefficients:
        with pytest.raises(UnknownOption, match="has no table"):
            result.to_pandas()
    else:
        pandas, polars = result.to_pandas(), result.to_polars()
        assert [*pandas.columns] == polars.columns
        assert len(pandas) == len(polars) > 0
    if kind in NO_FIGURE:
        with pytest.raises(UnknownOption, match=r"has no figure|a figure of its own: plot one"):
            result.plot()
    else:
        assert result.plot().axes


def say(result):
    return str(getattr(result, "signature", result))


def test_a_named_index_is_a_column_also_inside_a_frame_of_narwhals():
    columns = {"left": ["a", "b"], "right": ["b", "a"], "outcome": ["left", "left"]}
    frame = pd.DataFrame(columns, index=pd.Index(["j1", "j2"], name="judge"))
    assert evenhand.read(nw.from_native(frame)).has("judge")

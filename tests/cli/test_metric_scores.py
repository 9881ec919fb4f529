"""Scores of metrics as people have them: columns, names, files and folders."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import evenhand
from evenhand import meta_evaluate
from evenhand.cli.main import main
from evenhand.errors import EvenhandError

K, S = 6, 8
RNG = np.random.default_rng(8)
TRUTH = RNG.normal(size=(K, 1)) + RNG.normal(size=(K, S))
CELLS = {"item": [f"i{s}" for _ in range(K) for s in range(S)]}
CELLS["system"] = [f"s{k}" for k in range(K) for _ in range(S)]
SCORE = TRUTH.ravel().tolist()
BLEU, COMET = (RNG.normal(TRUTH, sd).ravel().tolist() for sd in (1.0, 0.2))
PEOPLE = {"judge": ["anna"] * K * S, **CELLS, "score": SCORE}
METRICS = {**CELLS, "bleu": BLEU, "comet": COMET}


@pytest.fixture(scope="module")
def expected():
    return spa(meta_evaluate(PEOPLE, METRICS))


def spa(found):
    return dict(zip(found.metrics, found.values["spa"].tolist(), strict=True))


def test_columns_of_people_may_have_any_names(evenhand, tmp_path, expected):
    path = str(tmp_path / "odd.csv")
    names = {"judge": "annot", "item": "seg", "system": "mt", "score": "points"}
    pl.DataFrame({**PEOPLE, **METRICS}).rename(names).write_csv(path)
    words = [one for role, name in names.items() for one in ("--column", f"{role}={name}")]
    found = evenhand("metrics", path, *words, "--json").json
    assert {one["metric"]: one["spa"] for one in found["metrics"]} == expected


def test_scores_may_stand_on_standard_input(tmp_path, expected):
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    words = ["metrics", str(tmp_path / "people.csv"), "-", "--json"]
    ran = CliRunner().invoke(main, words, input=pl.DataFrame(METRICS).write_csv())
    assert {one["metric"]: one["spa"] for one in json.loads(ran.stdout)["metrics"]} == expected


def test_criteria_of_people_in_columns_are_no_metrics(expected):
    wide = {"judge": PEOPLE["judge"], **METRICS, "fluency": SCORE}
    wide["adequacy"] = [-one for one in SCORE]
    found = meta_evaluate(evenhand.read(wide))
    assert [*found] == ["adequacy", "fluency"]
    assert spa(found["fluency"]) == expected
    # under one criterion the other stands beside the metrics
    found = meta_evaluate(evenhand.read(wide), criterion="fluency")
    assert {*found.metrics} == {"adequacy", "bleu", "comet"}
    assert spa(found).items() >= expected.items()


def test_numbers_that_vary_within_an_output_are_no_metric_and_named():
    twice = {name: 2 * column for name, column in {**PEOPLE, **METRICS}.items()}
    twice["judge"] = ["anna"] * K * S + ["ben"] * K * S
    twice["trust"] = [1.0] * K * S + [2.0] * K * S
    found = meta_evaluate(evenhand.read(twice))
    assert {*found.metrics} == {"bleu", "comet"}
    (note,) = (one for one in found.notes if one.code == "no-metrics")
    assert note.values["columns"] == ["trust"]
    twice["bleu"] = BLEU + [one + 1 for one in BLEU]
    with pytest.raises(EvenhandError, match="bleu gives the output of s0 on i0 different scores"):
        meta_evaluate(evenhand.read(twice))


def test_a_task_has_the_metrics_that_have_scores_there():
    gold = {name: 2 * column for name, column in PEOPLE.items()}
    gold["task"] = ["de"] * K * S + ["fr"] * K * S
    scores = {name: 3 * column for name, column in CELLS.items()}
    scores["task"] = ["de"] * 2 * K * S + ["fr"] * K * S
    scores["metric"] = ["bleu"] * K * S + ["comet"] * K * S + ["bleu"] * K * S
    scores["score"] = BLEU + COMET + BLEU
    assert meta_evaluate(gold, scores, task="fr").metrics == ("bleu",)
    assert {*meta_evaluate(gold, scores, task="de").metrics} == {"bleu", "comet"}


@pytest.mark.parametrize(
    ("name", "negated"),
    [
        ("PER", True),
        ("mPER-refA", True),
        ("per_src", True),
        ("bleu per segment", False),
        ("per_output", False),
        ("TER-refB", True),
        ("enter", False),
        ("error", True),
        ("error_rate", True),
        ("mqm_penalty", True),
        ("CharacTER", True),
        ("character overlap", False),
        ("cder-refA", True),
        ("ppl", True),
    ],
)
def test_error_rates_are_told_by_their_names(name, negated):
    high = {**CELLS, name: [10 + one for one in COMET]}
    notes = {one.code for one in meta_evaluate(PEOPLE, high).notes}
    assert ("metric-negated" in notes) is negated


def write_lines(path, values=None):
    rows = zip(CELLS["system"], SCORE if values is None else values, strict=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{k}\t{value}\n" for k, value in rows), "utf-8")
    return path


def test_a_file_of_one_metric_is_read_as_the_folder_is(tmp_path):
    gold = write_lines(tmp_path / "human-scores" / "en-de.mqm.seg.score")
    bleu = write_lines(tmp_path / "metric-scores" / "en-de" / "BLEU-refA.seg.score", BLEU)
    expected = spa(meta_evaluate(tmp_path))
    assert spa(meta_evaluate(gold, bleu)) == expected
    assert spa(meta_evaluate(str(gold), [str(bleu)])) == expected
    assert spa(meta_evaluate(gold, bleu.parent)) == expected


@pytest.mark.parametrize("word", ["None", "nan", "NaN"])
def test_no_score_is_written_alike_for_people_and_in_their_folder(tmp_path, word):
    gold = write_lines(tmp_path / "human-scores" / "en-de.mqm.seg.score", [word, *SCORE[1:]])
    write_lines(tmp_path / "metric-scores" / "en-de" / "BLEU-refA.seg.score", BLEU)
    whole = meta_evaluate(tmp_path)
    found = meta_evaluate(gold, tmp_path / "metric-scores" / "en-de")
    assert found.values["acc-eq"].tolist() == whole.values["acc-eq"].tolist()
    assert "n=47" in found.signature
    assert "n=47" in whole.signature


def test_metrics_alone_are_not_taken_for_scores_of_people(evenhand, tmp_path):
    path = str(tmp_path / "scores.csv")
    pl.DataFrame({**METRICS, "other": SCORE}).write_csv(path)
    said = evenhand("metrics", path, code=2).err
    assert "which scores are people's (other?)" in said
    found = evenhand("metrics", path, "--criterion", "other", "--json").json
    assert (found["gold"], len(found["metrics"])) == ("other", 2)
    asked = evenhand("metrics", path, "--column", "criterion=other,comet", "--json").json
    assert [*asked["groups"]] == ["comet", "other"]
    for name in ("da", "human eval", "fluency"):
        pl.DataFrame({**METRICS, name: SCORE}).write_csv(path)
        assert evenhand("metrics", path, "--json").json["gold"] == name


def test_columns_of_metrics_that_are_not_used_are_named(evenhand, tmp_path):
    people, scores = str(tmp_path / "people.csv"), str(tmp_path / "scores.csv")
    pl.DataFrame({**PEOPLE, "bleu": BLEU}).write_csv(people)
    pl.DataFrame({**CELLS, "comet": COMET}).write_csv(scores)
    notes = evenhand("metrics", people, scores, "--json").json["findings"]
    (note,) = (one for one in notes if one["code"] == "unused-columns")
    assert note["values"]["columns"] == ["bleu"]


def test_semicolons_part_scores_with_commas_unasked(tmp_path, expected):
    path = tmp_path / "scores.csv"
    text = pl.DataFrame(METRICS).with_columns(pl.col("bleu", "comet").round(9).cast(pl.String))
    text = text.with_columns(pl.col("bleu", "comet").str.replace(".", ",", literal=True))
    text.write_csv(path, separator=";")
    assert spa(meta_evaluate(PEOPLE, path)) == pytest.approx(expected)


@pytest.mark.parametrize("other", ["human-scores/en-de.mqm.seg.score", "COMET.seg.score"])
def test_files_of_other_lengths_are_refused_for_their_items_are_not_the_same(tmp_path, other):
    write_lines(tmp_path / "human-scores" / "en-de.mqm.seg.score")
    folder = tmp_path / "metric-scores" / "en-de"
    for name in ("A", "B", "COMET"):
        write_lines(folder / f"{name}.seg.score", BLEU)
    path = tmp_path / other if "/" in other else folder / other
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"s{k}\t1.0\n" for k in range(K))
    with pytest.raises(EvenhandError, match=rf"{path.name} has 9 .* of en-de have 8: every file"):
        meta_evaluate(tmp_path)


def test_items_of_other_names_are_named_on_both_sides():
    padded = {**METRICS, "item": [f"{one}.0" for one in METRICS["item"]]}
    with pytest.raises(EvenhandError, match=r"scores \(i0.0, i1.0, .*people judged \(i0, i1, "):
        meta_evaluate(PEOPLE, padded)


def test_a_column_that_no_judge_changes_is_not_taken_for_scores_of_people(evenhand, tmp_path):
    path = str(tmp_path / "people.csv")
    twice = {name: values * 2 for name, values in {**METRICS, "other": BLEU}.items()}
    twice["judge"] = ["anna"] * K * S + ["ben"] * K * S
    errors = [9 - one for one in SCORE]
    twice["errors"] = errors + [one + 0.1 * (at % 3) for at, one in enumerate(errors)]
    pl.DataFrame(twice).write_csv(path)
    said = evenhand("metrics", path, code=2).err
    assert "scores of other in people.csv are the same whoever judged" in said.replace(
        f"{tmp_path}/", ""
    )
    found = evenhand("metrics", path, "--criterion", "errors", "--json").json
    assert {one["metric"] for one in found["metrics"]} == {"bleu", "comet", "other", "people"}

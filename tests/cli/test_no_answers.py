"""Scores that mean "no answer", such as 99 on a scale of 1 to 5, are warned of, with a remedy."""

import re
import shlex

import numpy as np
import polars as pl
import pytest

import evenhand

VERBS = ("rank", "fit", "test", "compare", "robustness", "agreement", "variance", "inspect")


def draw(low=1, high=5, code=None, share=0.05, seed=3):
    """Return a table of 6 judges x 20 items x 3 systems, some scores of which are a code."""
    rng = np.random.default_rng(seed)
    item, output = rng.normal(0, 0.7, 20), rng.normal(0, 0.5, (20, 3))
    rows = []
    for j in range(6):
        for i in range(20):
            for s in range(3):
                score = (low + high) / 2 + item[i] + output[i, s] + 0.3 * s + rng.normal()
                given = int(np.clip(round(score), low, high))
                given = code if code is not None and rng.random() < share else given
                rows.append((f"j{j}", f"i{i}", f"s{s}", given))
    return pl.DataFrame(rows, schema=["judge", "item", "system", "score"], orient="row")


def warnings_of(findings):
    return [one for one in findings if one["code"] == "no-answer-score"]


@pytest.mark.parametrize("code", [99, 999, -1, -9, 9, 0])
def test_a_code_is_named_with_a_remedy_that_works(evenhand, folder, code):
    table = draw(code=code)
    table.write_csv("scores.csv")
    n = table.filter(pl.col("score") == code).height
    (found,) = warnings_of(evenhand("rank", "scores.csv", "--json").json["findings"])
    assert found["severity"] == "warning"
    assert f"{n} of 360 scores are {code}, the others 1 to 5" in found["text"]
    option = re.search(r"add (--missing .*), in Python read\(\.\.\., missing=(.*)\)", found["text"])
    mended = evenhand("rank", "scores.csv", *shlex.split(option[1]), "--json").json
    assert not warnings_of(mended["findings"])
    assert [one["rows"] for one in mended["excluded"]] == [n]
    read = __import__("evenhand").read("scores.csv", missing=int(option[2]))
    assert not [one for one in read.rows().notes if getattr(one, "code", "") == "no-answer-score"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_warns_once(evenhand, folder, verb):
    draw(code=99).write_csv("scores.csv")
    more = ["--model", "mean"] if verb == "compare" else []  # the quickest
    found = warnings_of(evenhand(verb, "scores.csv", *more, "--json").json["findings"])
    assert len(found) == 1


@pytest.mark.parametrize(
    ("low", "high", "code"),
    # scales as they are: 0 to 5, 0 to 10, 1 to 10, direct assessments with 0 and 99 among them
    [(0, 5, None), (0, 10, None), (1, 10, None), (1, 7, None), (0, 100, 0), (0, 100, 99)],
)
@pytest.mark.parametrize("seed", range(5))
def test_scores_of_a_scale_are_no_codes(low, high, code, seed):
    rows = evenhand.read(draw(low, high, code, seed=seed)).rows()
    assert not [one for one in rows.notes if one.code == "no-answer-score"]


def test_a_zero_that_is_the_worst_score_is_none():
    worst = draw(-1, 4).with_columns(pl.col("score").clip(lower_bound=0))
    assert worst["score"].is_in([0]).sum() > 10
    assert not evenhand.read(worst).rows().notes


def test_of_several_criteria_the_one_is_named_that_has_the_code(evenhand, folder):
    table = draw(code=99).rename({"score": "fluency"})
    table.with_columns(adequacy=draw(seed=9)["score"]).write_csv("sheet.csv")
    groups = evenhand("rank", "sheet.csv", "--json").json["groups"]
    found = {name: warnings_of(one["findings"]) for name, one in groups.items()}
    assert not found["adequacy"]
    assert "(fluency)" in found["fluency"][0]["text"]
    groups = evenhand("rank", "sheet.csv", "--missing", "99", "--json").json["groups"]
    assert not any(warnings_of(one["findings"]) for one in groups.values())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_remedy_for_a_frame_runs(library):
    table = draw(code=99)
    frame = table.to_pandas() if library == "pandas" else table
    (found,) = [one for one in evenhand.rank(frame).notes if one.code == "no-answer-score"]
    expression = re.search(r"pass (.*)\.$", found)[1]
    mended = eval(expression, {"frame": frame, "evenhand": evenhand})
    assert mended.rows().size == table.filter(pl.col("score") != 99).height
    assert not [one for one in evenhand.rank(mended).notes if one.code == "no-answer-score"]

"""`--control` by a SQL expression of columns, and `--control style`."""

import json
from pathlib import Path
from random import Random

import duckdb
import pandas as pd
import pytest
from scipy.special import expit

WORTHS = {"A": 0.8, "B": 0.2, "C": 0.0, "D": -0.6}


def relative(left: float, right: float) -> float:
    """The relative difference of the style control of Chatbot Arena."""
    return (left - right) / (left + right + 1)


def _draw(n: int = 400) -> list[dict]:
    """Return battles as an arena publishes them, with counts of form in `conv_metadata`."""
    draw, battles = Random(4), []
    for number in range(n):
        one, other = draw.sample([*WORTHS], 2)
        form: dict = {"turns": 1}
        for side in "ab":
            form[f"sum_assistant_{side}_tokens"] = draw.randint(5, 900)
            form[f"header_count_{side}"] = {f"h{k}": draw.randint(0, 2) for k in (1, 2, 3)}
            form[f"list_count_{side}"] = {"ordered": draw.randint(0, 4), "unordered": 0}
            form[f"bold_count_{side}"] = {"**": draw.randint(0, 3), "__": draw.randint(0, 1)}
        longer = relative(form["sum_assistant_a_tokens"], form["sum_assistant_b_tokens"])
        won = draw.random() < expit(WORTHS[one] - WORTHS[other] + 1.5 * longer)
        winner = "tie" if draw.random() < 0.15 else "model_a" if won else "model_b"
        battles.append(
            {"model_a": one, "model_b": other, "winner": winner, "judge": f"j{number % 25}"}
            | {"conv_metadata": form}
        )
    return battles


@pytest.fixture(scope="module")
def battles() -> list[dict]:
    return _draw()


@pytest.fixture
def flat(folder, battles) -> str:
    """Write the battles as CSV, with the columns of both outputs and the differences by hand."""
    rows = []
    for battle in battles:
        form = battle["conv_metadata"]
        length = [form[f"sum_assistant_{side}_tokens"] for side in "ab"]
        counts = {
            name: [sum(form[f"{name}_count_{side}"].values()) for side in "ab"]
            for name in ("header", "list", "bold")
        }
        rows.append(
            {key: battle[key] for key in ("model_a", "model_b", "winner", "judge")}
            | {"length_a": length[0], "length_b": length[1], "lang": "de"}
            | {"difference": length[0] - length[1], "r_length": relative(*length)}
            | {f"r_{name}": relative(*both) for name, both in counts.items()}
        )
    pd.DataFrame(rows).to_csv(folder / "flat.csv", index=False)
    return "flat.csv"


def _numbers(contract: dict) -> list[list[float]]:
    rows = [*contract["systems"], *contract["controls"]]
    return [[row[key] for key in ("estimate", "stderr", "lower", "upper")] for row in rows]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("length_a - length_b", "length_a - length_b"),
        ("gap = length_a - length_b", "gap"),
        ("-(length_b - length_a)", "-(length_b - length_a)"),
        ("case when lang = 'de' then length_a else 0 end - length_b", None),
        ("abs(difference) * sign(difference)", None),
    ],
)
def test_an_expression_is_the_column_that_holds_its_values(evenhand, flat, written, name):
    plain = evenhand("rank", flat, "--control", "difference", "--json").json
    found = evenhand("rank", flat, "--control", written, "--json").json
    assert _numbers(found) == [pytest.approx(row, rel=1e-9) for row in _numbers(plain)]
    assert found["controls"][0]["name"] == (name or written)
    assert f"control {written}" in found["signature"]
    digests = [one["signature"].partition("controls sha256 ")[2][:12] for one in (found, plain)]
    assert digests[0] == digests[1]


def test_columns_have_their_names_of_the_file(evenhand, flat):
    """`model_a` plays a role, and is called left inside."""
    word = "length_a - length_b + 0 * length(model_a)"
    found = evenhand("fit", flat, "--control", word, "--json").json
    plain = evenhand("fit", flat, "--control", "difference", "--json").json
    slopes = [one["coefficients"][-1]["estimate"] for one in (found, plain)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-9)


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_style_is_the_relative_difference_of_what_is_there(evenhand, folder, flat, battles, form):
    lines = [json.dumps(one) for one in battles]
    text = f"[{','.join(lines)}]" if form == "json" else "\n".join(lines)
    Path("battles.jsonl" if form == "parquet" else f"battles.{form}").write_text(text)
    if form == "parquet":
        duckdb.sql("copy (from 'battles.jsonl') to 'battles.parquet'")
    by_hand = [
        word for name in ("length", "header", "list", "bold") for word in ("--control", f"r_{name}")
    ]
    expected = evenhand("rank", flat, *by_hand, "--json").json
    found = evenhand("rank", f"battles.{form}", "--control", "style", "--json").json
    assert [one["name"] for one in found["controls"]] == ["length", "headers", "lists", "bold"]
    assert _numbers(found) == [pytest.approx(row, rel=1e-9) for row in _numbers(expected)]
    (said,) = (one["text"] for one in found["findings"] if one["code"] == "style-controls")
    assert "headers (conv_metadata.header_count_a, conv_metadata.header_count_b)" in said
    assert said.endswith("each as (left − right) / (left + right + 1).")


def test_a_column_called_style_is_a_column(evenhand, folder, flat):
    frame = pd.read_csv(flat).rename(columns={"difference": "style"})
    frame.to_csv("own.csv", index=False)
    (control,) = evenhand("rank", "own.csv", "--control", "style", "--json").json["controls"]
    assert control["sd"] == pytest.approx((frame["style"] ** 2).mean() ** 0.5)

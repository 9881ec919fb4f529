"""Every verb tells every exclusion: in text, JSON, CSV, LaTeX, signature, report and methods."""

import csv
import io
import json
import random
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import click
import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main
from evenhand.cli.running import Output, Result
from evenhand.data.controls import find_excluded

KEPT = "judge not in ('j00', 'j01', 'j02')"
COMPARED = (
    *("inspect", "rank", "rank --method all", "fit", "fit --model random-judges"),
    *("compare --nested", "test", "bias", "agreement", "judges", "labels"),
    *("variance", "robustness", "watch", "next"),
)
SCORED = ("inspect", "agreement", "judges", "labels", "variance", "impute", "similarity")


def _votes(*, strength: int = 2) -> list[dict[str, str]]:
    """Return 600 votes of 12 judges on 4 systems; the first three prefer what is worse."""
    draw, rows = random.Random(7), []
    pairs = list(combinations("ABCD", 2))
    for j in range(12):
        for i in range(50):
            left, right = pairs[i % 6] if draw.random() < 0.5 else pairs[i % 6][::-1]
            better = min(left, right) if j > 2 else max(left, right)
            chosen = better if draw.random() < 0.5 + strength / 10 else left + right
            chosen = chosen if len(chosen) == 1 else (left + right).replace(better, "")
            outcome = "left" if chosen == left else "right"
            rows.append(
                {"judge": f"j{j:02}", "item": str(i), "left": left, "right": right}
                | {"outcome": outcome, "task": "one", "kind": "target", "weight": "1"}
            )
    return rows


def _scores() -> list[dict[str, str]]:
    """Return the scores of 8 judges of 15 items by 3 systems."""
    draw = random.Random(3)
    return [
        {"judge": f"j{j:02}", "item": str(i), "system": system, "task": "one", "kind": "target"}
        | {"score": str(min(5, max(1, 3 - at + (i % 3) + draw.choice((-1, 0, 0, 1)))))}
        for j in range(8)
        for i in range(15)
        for at, system in enumerate("ABC")
    ]


def _write(folder, rows, name="votes.csv") -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path = folder / name
    path.write_text(text.getvalue(), encoding="utf-8")
    return str(path)


KINDS = {"where": 57, "judges": 43, "systems": 31, "task": 29, "controls": 23}
KINDS_OF_VOTES = {**KINDS, "zero-weight": 17, "no-outcome": 13}
KINDS_OF_SCORES = {**KINDS, "no-score": 13}
"""Why rows are excluded, and how many: no row for two reasons."""
OPTIONS = (
    *("--where", "judge <> 'w'", "--without", "judge=x", "--without", "system=Z"),
    *("--task", "one"),
)
KEEP_CONTROLS = ("inspect", "judges")
"""Verbs that look at controls as well."""
TABLE = [(verb, _votes) for verb in COMPARED] + [(verb, _scores) for verb in SCORED]


def _add_excluded(rows):
    """Return rows and, beside them, some to exclude for each reason."""
    votes = "left" in rows[0]
    other = {"left": "A", "right": "Z"} if votes else {"system": "Z"}
    known = {"left": "good", "right": "bad"} if votes else {"system": "good"}
    changes = {
        "where": {"judge": "w"},
        "judges": {"judge": "x"},
        "systems": other,
        "task": {"task": "two"},
        "controls": {**known, "kind": "control"},
        "zero-weight": {"weight": "0"},
        "no-outcome": {"outcome": "NaN"},
        "no-score": {"score": ""},
    }
    kinds = KINDS_OF_VOTES if votes else KINDS_OF_SCORES
    more = [{**row, **changes[kind]} for kind, n in kinds.items() for row in rows[:n]]
    return [*rows, *more], kinds


@pytest.fixture
def run_once(evenhand, monkeypatch) -> Callable[..., tuple[str, str]]:
    """`run_once("rank", "x.csv")` prints one result as JSON and, beside it, as text."""
    deliver = Output.deliver

    def deliver_both(self: Output, result: Result) -> None:
        deliver(self, result)
        click.echo(BETWEEN)
        deliver(Output("text", None), result)

    def run(*words: str) -> tuple[str, str]:
        with monkeypatch.context() as patched:
            patched.setattr(Output, "deliver", deliver_both)
            told, _, text = evenhand(*words, "--json").out.partition(f"{BETWEEN}\n")
        return told, text

    return run


BETWEEN = "-- the same as text --"


@pytest.mark.parametrize(("verb", "table"), TABLE)
def test_each_verb_tells_each_exclusion(verb, table, run_once, folder) -> None:
    rows, kinds = _add_excluded(table())
    first, *words = verb.split()
    written, shown = run_once(first, _write(folder, rows), *words, *OPTIONS)
    contract, numbers = json.loads(written), re.findall(r"\d+", shown)
    told = {one["code"]: one for one in contract["excluded"]}
    signatures = _find_signatures(contract)
    assert signatures or first == "inspect"
    for kind, lost in kinds.items():
        if kind == "controls" and first in KEEP_CONTROLS:
            continue
        assert told[kind]["rows"] == lost, kind
        assert f"{lost}" in re.findall(r"\d+", told[kind]["text"])
        assert f"{lost}" in numbers
        assert all(f"excluded {lost} of " in one for one in signatures), (kind, signatures)
    for kind, judge in {"where": "w", "judges": "x"}.items():
        assert (told[kind]["judges"], told[kind]["judge_names"]) == (1, [judge])


def _find_signatures(value) -> list[str]:
    """Return all signatures of a contract."""
    if isinstance(value, dict):
        own = [value["signature"]] if isinstance(value.get("signature"), str) else []
        return own + [one for part in value.values() for one in _find_signatures(part)]
    return (
        [one for part in value for one in _find_signatures(part)] if isinstance(value, list) else []
    )


def test_the_attack_leaves_a_trace_in_every_form(evenhand, folder) -> None:
    path = _write(folder, _votes())
    whole, part = (
        evenhand("rank", path, *words, "--json").json for words in ((), ("--where", KEPT))
    )
    decided = [sum(row["better_than"] for row in one["systems"]) for one in (whole, part)]
    assert decided[0] < decided[1]
    assert whole["excluded"] == []
    assert whole["signature"] != part["signature"]
    told = f'150 of 600 rows, 3 of 12 judges (j00, j01, j02), by where "{KEPT}"'
    signed = f'excluded 150 of 600 rows, 3 of 12 judges, by where "{KEPT}"'
    assert part["signature"].endswith(f" | {signed}")
    (only,) = part["excluded"]
    assert (only["rows"], only["of_rows"], only["judges"], only["of_judges"]) == (150, 600, 3, 12)
    assert only["text"] == f"excluded: {told}"
    text = " ".join(evenhand("rank", path, "--where", KEPT).out.split())
    assert text.count(f"excluded: {told}") == 1
    assert signed in text
    assert "excluded" not in evenhand("rank", path).out
    assert f"\n% excluded: {told}\n" in evenhand("rank", path, "--where", KEPT, "--latex").out
    table = evenhand("rank", path, "--where", KEPT, "--csv")
    assert f"excluded: {told}" in " ".join(table.err.split())
    assert "excluded" not in table.out  # a CSV file holds the table alone


@pytest.mark.parametrize("table", [_votes, _scores])
def test_the_report_tells_it_on_the_page_in_json_and_in_methods(table, evenhand, folder) -> None:
    rows = table()
    path = _write(folder, rows)
    chosen = ("--sections", "data,methods")
    lost = sum(row["judge"] in ("j00", "j01", "j02") for row in rows)
    judges = len({row["judge"] for row in rows})
    told = f"{lost} of {len(rows)} rows, 3 of {judges} judges (j00, j01, j02), by where"
    whole, part = (
        evenhand("report", path, *chosen, *words, "--json").json
        for words in ((), ("--where", KEPT))
    )
    for report, expected in ((whole, 0), (part, lost)):
        (dropped,) = (
            one for one in report["parts"][0]["sections"][0]["tables"] if one["name"] == "excluded"
        )
        assert dropped["rows"][0]["n"] == expected
        assert (dropped["rows"][0]["what"] == "nothing") == (not expected)
        assert [one["rows"] for one in report["excluded"]] == ([expected] if expected else [])
        methods = report["parts"][0]["sections"][1]["blocks"]
        written = next(one["text"] for one in methods if one["name"] == "methods.txt")
        assert (told in written) == bool(expected)
        assert (f"excluded {lost} of" in report["parts"][0]["signature"]) == bool(expected)
    said = evenhand("report", path, *chosen, "--where", KEPT, "-o", "r.html").err
    assert told in " ".join(said.split())
    assert told in (folder / "r.html").read_text("utf-8").split("<nav")[0]


FRAMES = {
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "arrow": pa.Table.from_pylist,
}


@pytest.mark.parametrize("engine", FRAMES)
def test_engines_exclude_the_same(engine) -> None:
    frame = FRAMES[engine](_votes())
    condition = ~nw.col("judge").is_in(["j00", "j01", "j02"]) & (nw.col("left") != "D")
    data = evenhand.read(frame, where=condition & (nw.col("right") != "D"))
    (one,) = data.excluded
    rows = pd.DataFrame(_votes())
    some = rows[~rows.judge.isin(["j00", "j01", "j02"]) & (rows.left != "D") & (rows.right != "D")]
    assert (one.rows, one.of_rows) == (600 - len(some), 600)
    assert (one.judges, one.of_judges, one.judge_names) == (3, 12, ("j00", "j01", "j02"))
    assert (one.systems, one.of_systems, one.system_names) == (1, 4, ("D",))
    more = data.without(judges=["j05"]).select_task("one").excluded
    assert [(e.code, e.rows, e.judges) for e in more[1:]] == [
        ("judges", int((some.judge == "j05").sum()), 1)
    ]


def test_a_missing_value_does_not_meet_a_condition() -> None:
    rows = [{**row, "judge": None if at < 20 else row["judge"]} for at, row in enumerate(_votes())]
    frame = duckdb.from_arrow(pa.Table.from_pylist(rows))
    (one,) = evenhand.read(frame, where="judge <> 'j11'").excluded
    assert (one.rows, one.judges, one.of_judges) == (20 + 50, 1, 12)


RESULTS = {
    "rank": evenhand.rank,
    "find_position_bias": evenhand.find_position_bias,
    "find_preferences": evenhand.find_preferences,
    "find_fragility": evenhand.find_fragility,
    "find_cycles": evenhand.find_cycles,
    "vary_choices": evenhand.vary_choices,
    "tabulate_models": evenhand.tabulate_models,
    "compare_methods": evenhand.compare_methods,
    "compare_models": lambda data: evenhand.compare_models(data, models=["uniform"]),
    "measure_agreement": evenhand.measure_agreement,
    "screen_judges": evenhand.screen_judges,
    "estimate_components": evenhand.estimate_components,
    "choose_pairs": lambda data: evenhand.choose_pairs(data, n=2),
    "watch": lambda data: evenhand.watch(data).board,
    "check_borders": lambda data: evenhand.check_borders(data, after=1),
    "MACE": lambda data: evenhand.MACE(restarts=1).fit(data),
    "DawidSkene": lambda data: evenhand.DawidSkene().fit(data),
    "read": lambda data: data,
}


@pytest.mark.parametrize("name", RESULTS)
def test_each_public_function_carries_exclusions(name) -> None:
    data = evenhand.read(pd.DataFrame(_votes()), where=~nw.col("judge").is_in(["j00", "j01"]))
    found = RESULTS[name](data)
    if isinstance(getattr(found, "groups", None), dict):
        (found,) = found.groups.values()
    assert [(one.code, one.rows, one.judges) for one in found.excluded] == [("where", 100, 2)]
    signature = getattr(found, "signatures", getattr(found, "signature", None))
    assert name == "read" or "excluded 100 of 600 rows, 2 of 12 judges" in signature
    assert name == "read" or "100 of 600 rows" in repr(found)


def test_long_conditions_are_told_apart_by_their_digest() -> None:
    rows = pd.DataFrame(_votes())
    signed = set()
    for last in ("j05", "j06"):
        names = [f"x{i:03}" for i in range(60)] + [last]
        data = evenhand.read(rows, where=~nw.col("judge").is_in(names))
        signed.add(data.excluded[0].signature)
    assert len(signed) == 2
    assert all(len(one) < 250 and "sha256" in one for one in signed)


@pytest.mark.parametrize("n", [1, 11], ids=["named", "too many to be named"])
def test_judges_who_are_excluded_by_name_are_told_apart_in_signatures(n) -> None:
    each = [[f"j{j:02}" for j in range(first, first + n)] for first in (0, 1)]
    rows = pd.DataFrame([one | {"judge": "j00"} for one in _votes() if one["judge"] == "j05"])
    alike = pd.concat([rows.assign(judge=f"j{j:02}") for j in range(12)])
    for ask in (evenhand.find_preferences, evenhand.find_position_bias, evenhand.find_cycles):
        data = evenhand.read(alike)
        signed = {ask(data.without(judges=some)).signature for some in each}
        assert len(signed) == 2, ask


def test_blanks_within_quotes_tell_conditions_apart() -> None:
    rows = pd.DataFrame([one | {"judge": one["judge"].replace("j0", "j ")} for one in _votes()])
    rows = pd.concat([rows, rows.assign(judge=rows.judge.str.replace(" ", "  "))])
    rows = duckdb.from_df(rows)
    each = ["judge <> 'j 5'", "judge <> 'j  5'"]
    data = [evenhand.read(rows, where=one) for one in each]
    signed = {evenhand.find_preferences(one).signature for one in data}
    assert len(signed) == 2, signed


@pytest.mark.parametrize("verb", ["rank", "agreement", "report"])
def test_a_control_of_weight_0_is_counted_once(verb, evenhand, folder) -> None:
    rows = [
        {**row, "kind": "control" if at % 10 == 1 else "target", "weight": str(int(at % 15 != 1))}
        for at, row in enumerate(_votes())
    ]
    told = evenhand(verb, _write(folder, rows), "--json").json["excluded"]
    assert {one["code"]: one["rows"] for one in told} == {"zero-weight": 40, "controls": 40}


RATED = (
    "judge,item,system,score,kind\n"
    "ann,1,A,4,target\nann,2,B,3,target\nben,1,A,5,target\nben,2,B,2,target\n"
    "cy,1,A,5,repeat\ncy,2,B,,target\n"
    "dee,1,A,1,control\ndee,2,B,,control\n"
)


def test_counts_of_ratings_add_up_and_name_who_is_lost(tmp_path: Path) -> None:
    """8 rows: 2 have no score, 1 of the others is a control, 1 a repeat, and 4 are left."""
    table = tmp_path / "rated.csv"
    table.write_text(RATED)
    excluded = find_excluded(evenhand.read(table), ("controls", "repeats"))
    assert [(one.code, one.rows, one.judge_names) for one in excluded] == [
        ("no-score", 2, ()),
        ("controls", 1, ("dee",)),
        ("repeats", 1, ("cy",)),
    ]


@pytest.mark.parametrize("verb", ["rank", "inspect"])
def test_a_condition_that_excludes_no_row_says_so(evenhand, folder, verb):
    path, said = _write(folder, _votes()), """no row excluded by where "judge <> 'nobody'\""""
    assert said in " ".join(evenhand(verb, path, "--where", "judge <> 'nobody'").out.split())
    for condition in ([], ["--where", KEPT]):
        assert "no row" not in evenhand(verb, path, *condition).out


def _scores_of_two(repeated: str = "j07") -> list[dict[str, str]]:
    """Return scores under two criteria; all that one judge gave are repeats."""
    return [
        {**row, "criterion": criterion} | ({"kind": "repeat"} if row["judge"] == repeated else {})
        for row in _scores()
        for criterion in ("adequacy", "fluency")
    ]


@pytest.mark.parametrize("verb", ["impute", "agreement", "next"])
def test_repeats_that_models_of_ratings_leave_out_are_told(verb, evenhand, folder) -> None:
    rows = [row for row in _scores_of_two() if row["criterion"] == "adequacy"]
    if verb == "next":
        rows.append({**rows[0], "item": "new", "score": ""})
    path = _write(folder, rows)
    told = f"45 of {len(rows)} judgments, 1 of 8 judges"
    call = [verb, path, *(["--feature", "system"] if verb == "next" else [])]
    contract = evenhand(*call, "--json").json
    (entry,) = [one for one in contract["excluded"] if one["code"] == "repeats"]
    assert (entry["rows"], entry["of_rows"], entry["judge_names"]) == (45, len(rows), ["j07"])
    signatures = _find_signatures(contract)
    assert signatures
    assert all(f"excluded {told}, repeats" in one for one in signatures)
    assert f"excluded: {told} (j07), repeats" in " ".join(evenhand(*call).out.split())


WEIGHED = (
    "ranking,judge,item,system,rank,weight\n"
    "1,ann,x,A,1,2\n1,ann,x,B,2,2\n2,ben,y,A,2,1\n2,ben,y,B,1,1\n"
    "3,ben,x,A,1,0\n3,ben,x,B,2,0\n4,cy,z,A,1,0\n4,cy,z,B,2,0\n"
)
VOTES_OF_WEIGHT = (
    "judge,item,left,right,outcome,weight\n"
    "ann,x,A,B,left,2\nben,y,A,B,right,1\nben,x,A,B,left,0\ncy,z,A,B,left,0\n"
)


@pytest.mark.parametrize("table", [WEIGHED, VOTES_OF_WEIGHT])
def test_what_weighs_0_is_not_counted_as_judged(table, evenhand, folder) -> None:
    (folder / "votes.csv").write_text(table)
    total = evenhand("inspect", "votes.csv", "--json").json["total"]
    assert (total["judgments"], total["items"], total["shared_items"]) == (3, 2, 0)
    assert total["shared_judgments"] == 0
    assert total["rankings"] in (None, 2)
    assert total["ranks"] in (None, 4)


def test_ties_that_are_discarded_are_no_judgments_of_criteria(evenhand, folder) -> None:
    rows = _votes()
    for row in rows[::10]:
        row["outcome"] = "tie"
    decided = [row for row in rows if row["outcome"] != "tie"]
    whole, part = (
        evenhand("fit", _write(folder, some), "--ties", "discard", "--json").json
        for some in (rows, decided)
    )
    assert whole["aic"] == pytest.approx(part["aic"], abs=1e-9)
    assert whole["bic"] == pytest.approx(part["bic"], abs=1e-9)


def test_the_report_draws_criteria_without_controls_and_repeats(evenhand, folder) -> None:
    rows = _scores_of_two()
    for row in rows[::17]:
        row["kind"] = "control"
    targets = [row for row in rows if row["kind"] == "target"]
    drawn = [
        evenhand("report", _write(folder, some), "--sections", "criteria", "--json").json
        for some in (rows, targets)
    ]
    whole, part = (one["parts"][0]["sections"][0]["figures"][0]["datasets"] for one in drawn)
    assert whole == part


def test_a_format_tells_what_its_rules_exclude(evenhand, folder) -> None:
    (folder / "m.csv").write_text("judge,i1,i2,i3\na,1,2,\nb,2,,3\nc,3,2,1\nd,1,1,2\n")
    for verb in ("inspect", "judges"):
        found = evenhand(verb, "m.csv", "--from", "matrix", "--json").json
        (one,) = found["excluded"]
        assert (one["code"], one["reason"], one["rows"]) == ("format", "blank cells", 2)
        assert "blank cells excluded: 2" in evenhand(verb, "m.csv", "--from", "matrix").out


def test_references_of_ratings_are_told_in_the_report(evenhand, folder) -> None:
    rows = [
        {**row, "system": "refA" if row["system"] == "C" else row["system"]} for row in _scores()
    ]
    path = _write(folder, rows)
    found = evenhand("report", path, "--sections", "scores,data,methods", "--json").json
    assert found["excluded"] == []
    (part,) = found["parts"]
    scores, data, methods = part["sections"]
    assert [row["n"] for row in data["tables"][-1]["rows"]] == [120]
    assert "120 of 360 scores, 1 of 3 systems, human references by name" in part["signature"]
    text = methods["blocks"][0]["text"]
    assert "240 ratings of 2 systems" in text
    assert "refA stands beside the systems without a rank" in text
    counted = "120 of 360 scores, 1 of 3 systems (refA), human references by name"
    assert f"excluded: {counted}" in scores["notes"]
    assert counted in text
    assert [row["system"] for row in scores["tables"][1]["rows"]] == ["refA"]


VOTED = (
    "judge,item,left,right,outcome,kind,weight\n"
    "ann,1,A,B,left,target,1\nann,2,B,A,left,target,1\nben,1,A,B,tie,target,1\n"
    "cy,1,Z,A,left,control,1\ndee,1,Y,B,left,target,0\n"
)


@pytest.mark.parametrize("verb", ["rank", "labels", "watch"])
def test_judges_and_systems_lost_with_controls_are_named(tmp_path: Path, verb: str) -> None:
    table = tmp_path / "votes.csv"
    table.write_text(VOTED)
    ended = CliRunner().invoke(main, [verb, str(table)])
    text = " ".join(ended.output.split())
    assert "1 of 4 judges (cy), 1 of 4 systems (Z)" in text or (
        "1 of 3 judges (cy), 1 of 3 systems (Z)" in text
    )
    assert "(dee)" in text


def test_judges_lost_with_blank_rankings_are_named(tmp_path: Path) -> None:
    table = tmp_path / "ranked.csv"
    rows = "".join(
        f"{judge}1,{judge},A,{first}\n{judge}1,{judge},B,{second}\n"
        for judge, first, second in (("ann", 1, 2), ("ben", 2, 1), ("cy", -1, -1), ("dee", 1, -1))
    )
    table.write_text(f"ranking,judge,system,rank\n{rows}")
    excluded = {one.code: one for one in evenhand.read(table).excluded}
    assert excluded["blank-rankings"].judge_names == ("cy",)
    assert (excluded["single-output"].judge_names, excluded["single-output"].of_judges) == (
        ("dee",),
        3,
    )


@pytest.mark.parametrize("model", [evenhand.MultiTaskGP(seed=1), evenhand.NuclearNorm(seed=1)])
def test_fits_of_ratings_carry_the_repeats_that_they_leave_out(model, folder) -> None:
    rows = [row for row in _scores_of_two() if row["criterion"] == "adequacy"]
    fit = model.fit(evenhand.read(_write(folder, rows)))
    (entry,) = [one for one in fit.excluded if one.code == "repeats"]
    assert (entry.rows, entry.judge_names) == (45, ("j07",))

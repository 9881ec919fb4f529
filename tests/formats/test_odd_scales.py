"""Scores in stars and words, rankings without ids, ranks in words."""

import json
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main
from evenhand.data.joining import say_alike
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat
from evenhand.formats.grades import SCALES
from evenhand.formats.reading import read
from read_tables import refusal, rows_of

# Scores in stars and words, rankings without ids, and names that hold a number in two ways.


HEAD = "judge,item,system,score\n"
ANSWERS = (("ann", 1, "BAC"), ("ann", 2, "ABC"), ("ben", 1, "CBA"))  # systems, the best first
RANKED = [
    f"{judge},{item},{system},{rank}"
    for judge, item, order in ANSWERS
    for rank, system in enumerate(order, 1)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, words, prog_name="evenhand")
    assert result.exit_code == code, result.output
    return result.stdout if "--json" in words else " ".join(result.output.split())


def save(name: str, rows, head: str = HEAD) -> str:
    Path(name).write_text(head + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return name


def read_scores(labels) -> list[float]:
    data = read(save("s.csv", [f"j{n},1,A,{label}" for n, label in enumerate(labels)]))
    scores = data.frame.collect() if hasattr(data.frame, "collect") else data.frame
    return scores["score"].to_list()


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (("★", "★★★", "★★★★★"), [1, 3, 5]),
        (("★☆☆☆☆", "★★★☆☆", "☆☆☆☆☆"), [1, 3, 0]),
        (("⭐", "⭐⭐⭐", "⭐️⭐️"), [1, 3, 2]),
        (("1 star", "3 stars", "4.5 stars"), [1, 3, 4.5]),
        (("1★", "3 ★", "2 ⭐"), [1, 3, 2]),
        (("4.0 out of 5 stars", "1 out of 5 stars"), [4, 1]),
        (("Poor", "Fair", "OK", "Good", "Excellent"), [1, 2, 3, 4, 5]),
        (("Excellent", "very good", "Good", "fair", "poor"), [5, 4, 3, 2, 1]),
        (("terrible", "Poor", "average", "good", "excellent"), [1, 2, 3, 4, 5]),
        (("very bad", "bad", "okay", "good", "very good"), [1, 2, 3, 4, 5]),
        (("Not at all", "slightly", "Moderately", "Very", "Extremely"), [1, 2, 3, 4, 5]),
        # Qualtrics' five points: nobody agrees without saying how much
        (
            (
                *("Strongly disagree", "Somewhat disagree", "Neither agree nor disagree"),
                *("Somewhat agree", "Strongly agree"),
            ),
            [1, 2, 3, 4, 5],
        ),
        (("disagree", "somewhat disagree", "slightly agree", "agree"), [2, 3, 5, 6]),
        (("none", "low", "high", "medium"), [1, 2, 4, 3]),
        # the number counts
        (("10 - excellent", "7 - good", "5 - fair", "3 - poor", "1 - bad"), [10, 7, 5, 3, 1]),
        (("0 - never", "2: sometimes", "4 always"), [0, 2, 4]),
        (("excellent (5)", "bad (1)", "fair: 3"), [5, 1, 3]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_stars_and_words_are_read_as_the_numbers_that_they_stand_for(labels, scores) -> None:
    assert read_scores(labels) == scores


@pytest.mark.parametrize("labels", [("★★☆☆☆", "★★★☆"), ("***", "**"), ("gut", "sehr gut")])
@pytest.mark.usefixtures("folder")
def test_what_is_no_known_scale_is_refused_and_read_with_numbers_before(labels) -> None:
    with pytest.raises(InvalidJudgments, match="write the number before words or signs"):
        read_scores(labels)
    if labels[0].isalpha():
        assert read_scores([f"{n} - {one}" for n, one in enumerate(labels, 1)]) == [1, 2]


@pytest.mark.parametrize(
    "labels",
    [
        ("1 - excellent", "2 - good", "5 - bad"),
        ("1 - strongly agree", "3 - neutral", "5 - strongly disagree"),
        ("1 (excellent)", "2", "3", "4", "5 (bad)"),
        ("excellent (1)", "bad (5)"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_numbers_that_contradict_their_words_are_refused(labels) -> None:
    with pytest.raises(InvalidJudgments, match="the numbers say the opposite of the words"):
        read_scores(labels)


@pytest.mark.usefixtures("folder")
def test_a_criterion_in_words_of_no_known_scale_is_named_and_its_odd_word_refused() -> None:
    columns = ("good", "so-so", "bad"), ("4", "3", "2")
    _, notes = read_wide("judge,item,system,fluency,adequacy\n", *columns)
    (said,) = (one for one in notes if "fluency is not read" in one)
    assert "'so-so'" in said
    assert "good" not in said
    with pytest.raises(InvalidJudgments, match=r"score 'so-so' in column 'fluency'.*\(line 3\)"):
        read_wide(
            "judge,item,system,fluency,adequacy\n",
            *columns,
            columns={"criterion": ("fluency", "adequacy")},
        )


SLIGHT = ("strongly agree", "slightly agree", "disagree", "agree")
PLAIN = ("strongly agree", "agree", "disagree", "agree")


def read_wide(head: str, *columns, **wishes) -> tuple[list[dict], list[str]]:
    rows = [f"j{n},{n},A,{','.join(cells)}" for n, cells in enumerate(zip(*columns, strict=True))]
    data = read(save("w.csv", rows, head), **wishes)
    frame = data.frame.collect() if hasattr(data.frame, "collect") else data.frame
    return frame.rows(named=True), [*map(str, data.source.notes)]


@pytest.mark.parametrize("role", ["system", "criterion"])
@pytest.mark.usefixtures("folder")
def test_words_of_one_sheet_are_on_one_scale(role) -> None:
    head = (
        "judge,item,version,Alfa,Brava\n" if role == "system" else "judge,item,system,wit,charm\n"
    )
    rows, notes = read_wide(head, SLIGHT, PLAIN)
    by_column: dict[str, list[float]] = {}
    for row in rows:
        by_column.setdefault(row[role], []).append(row["score"])
    # of seven points: agree is 6 in both, though nobody used "slightly" in the second
    assert [*by_column.values()] == [[7, 5, 2, 6], [7, 6, 2, 6]]
    assert sum("words are read as numbers" in one for one in notes) == 1


@pytest.mark.usefixtures("folder")
def test_words_of_criteria_may_be_on_scales_of_their_own_which_are_named() -> None:
    words = ("good", "bad"), ("agree", "disagree")
    rows, notes = read_wide("judge,item,system,fluency,style\n", *words)
    assert {(row["criterion"], row["score"]) for row in rows} == {
        *(("fluency", 4), ("fluency", 1)),
        *(("style", 4), ("style", 2)),
    }
    assert "words in fluency are read as numbers: bad = 1, good = 4." in notes
    with pytest.raises(InvalidJudgments, match="score 'good' in column 'Alfa'"):
        read_wide("judge,item,version,Alfa,Brava\n", *words)


@pytest.mark.usefixtures("folder")
def test_a_condition_does_not_change_what_a_word_or_a_number_means() -> None:
    rows = [f"j{n % 5},{n},A,{word}" for n, word in enumerate(SLIGHT * 3)]
    name = save("s.csv", rows)
    some = read(name, where="score <> 'slightly agree'")
    assert sorted({*some.rows().score.tolist()}) == [2, 6, 7]
    votes = [f"x,y,{n % 5 + 1},{'en' if n % 5 == 4 else 'de'}" for n in range(20)]
    name = save("v.csv", votes, "left,right,preference,lang\n")
    german = read(name, where="lang = 'de'").tally()
    # 1 and 2 prefer the left, 3 is the tie of 1 to 5, 4 prefers the right
    assert [float(n.sum()) for n in (german.wins, german.ties, german.losses)] == [8, 4, 4]


def test_all_scales_order_the_words_that_they_share_alike() -> None:
    signs: dict[frozenset[str], int] = {}
    for scale in SCALES:
        words = [*scale]
        for at, one in enumerate(words):
            for other in words[at + 1 :]:
                pair = frozenset((one, other))
                first = min(pair)
                step = scale[first] - scale[max(pair)]
                if step:
                    sign = 1 if step > 0 else -1
                    assert signs.setdefault(pair, sign) == sign, (one, other)


@pytest.mark.usefixtures("folder")
def test_rankings_without_ids_are_one_of_each_judge_on_each_item_else_ids_are_needed() -> None:
    save("r.csv", RANKED, "judge,item,system,rank\n")
    result = json.loads(run("rank", "r.csv", "--interval", "model", "--json"))
    # by hand: A beats C twice of three, B beats C twice and A twice
    wins = {one["system"]: one["wins"] for one in result["systems"]}
    assert wins == {"A": 1 + 2, "B": 2 + 2, "C": 1 + 1}
    data = read("r.csv")
    assert data.comparisons().tally().n_judgments == len(ANSWERS)
    assert any("each judge and item is one ranking" in str(note) for note in data.source.notes)
    save("r.csv", [*RANKED, *RANKED[:3]], "judge,item,system,rank\n")
    refused = run("rank", "r.csv", code=2)
    assert "appears twice in ranking 'ann / 1'" in refused
    assert "an id for each ranking" in refused
    ids = [f"r{n // 3},{row}" for n, row in enumerate([*RANKED, *RANKED[:3]])]
    save("ids.csv", ids, "ranking,judge,item,system,rank\n")
    assert read("ids.csv").comparisons().tally().n_judgments == len(ANSWERS) + 1


@pytest.mark.parametrize("role", ["judge", "item"])
@pytest.mark.usefixtures("folder")
def test_rankings_of_judges_or_items_alone_are_read_with_the_remedy(role) -> None:
    rows = [f"{x},{s},{n}" for x in "uv" for n, s in enumerate("AB", 1)]
    save("r.csv", rows, f"{role},system,rank\n")
    remedy = f"--column ranking={role}"
    assert remedy in run("inspect", "r.csv", code=2)
    assert "2 rankings" in run("inspect", "r.csv", *remedy.split())


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.usefixtures("folder")
def test_a_blank_judge_of_a_ranking_is_named_by_its_lines(ids) -> None:
    rows = [row.replace("ben", "") for row in RANKED]
    rows = [f"r{n // 3},{row}" for n, row in enumerate(rows)] if ids else rows
    save("r.csv", rows, f"{'ranking,' if ids else ''}judge,item,system,rank\n")
    said = run("inspect", "r.csv", code=2)
    assert "in column 'judge' of r.csv (lines 8, 9, 10)" in said


@pytest.mark.parametrize("pair", [("007", "7"), ("7", "7.0"), ("P01", "P1"), ("run-05", "run-5")])
def test_a_number_written_in_two_ways_is_told(pair) -> None:
    (said,) = say_alike([*pair, "other"], "judge")
    assert all(f"'{name}'" in said for name in pair)
    assert "differ only in how a number is written" in said


@pytest.mark.parametrize(
    "names", [("7", "70"), ("1.5", "1.05"), ("0", "00x"), ("gpt-4.1", "gpt-4.10"), ("10", "1.0")]
)
def test_other_numbers_are_left_alone(names) -> None:
    assert say_alike(names) == ()


@pytest.mark.usefixtures("folder")
def test_a_code_for_no_answer_is_no_scale_of_other_judges() -> None:
    rows = [
        f"j{j},{i},{s},{99 if j == i == 0 else (3 * i + j + (s == 'A')) % 5 + 1 - (j > 3)}"
        for j in range(6)
        for i in range(12)
        for s in "AB"
    ]
    rows = [row if not row.endswith(",0") else f"{row[:-1]}1" for row in rows]
    rows += [f"j9,{i},{s},{99 if i < 4 else 3}" for i in range(6) for s in "AB"]
    save("c.csv", rows)
    codes = [one["code"] for one in json.loads(run("inspect", "c.csv", "--json"))["findings"]]
    assert "short-scales" not in codes
    assert [one for one in codes if "answer" in one]


@pytest.mark.parametrize("name", ["Sample", "Question No", "Text ID"])
@pytest.mark.usefixtures("folder")
def test_a_numbered_sample_is_an_item_and_no_score(name) -> None:
    rows = [f"{j},{i},{s},{i % 3 + 1}" for j in "uv" for i in range(1, 6) for s in "AB"]
    data = read(save("n.csv", rows, f"rater,{name},system,Overall quality\n"))
    assert data.source.named("item") == name


@pytest.mark.usefixtures("folder")
def test_a_column_of_numbers_beside_criteria_may_name_items() -> None:
    rows = [
        f"{j},{i},{s},{i % 5 + 1},{i % 4 + 1}" for j in "uv" for i in range(1, 13) for s in "AB"
    ]
    name = save("n.csv", rows, "rater,Text,system,Fluency,Adequacy\n")
    assert "if it names items: --column item=Text, in Python" in run("inspect", name)
    assert "12 items" in run("inspect", name, "--column", "item=Text")


# Ranks written 1st, 2nd, 3rd, in cells and as names of columns, and rankings in one cell.


# What each of two rankings says: ranking → system → rank
RANKS = {("a", "A"): 1, ("a", "B"): 2, ("a", "C"): 3, ("b", "A"): 2, ("b", "B"): 1, ("b", "C"): 3}
KINDS = pytest.mark.parametrize("kind", ["csv", pd.DataFrame, pl.DataFrame])


def table(columns, kind, tmp_path):
    if kind != "csv":
        return kind(columns)
    pl.DataFrame(columns).write_csv(tmp_path / "ranks.csv")
    return tmp_path / "ranks.csv"


def ranks_of(source):
    return {(row["judge"], row["system"]): row["rank"] for row in rows_of(source)}


@KINDS
@pytest.mark.parametrize("named", [True, False])
def test_ordinals_are_ranks(kind, named, tmp_path):
    columns = {
        "judge": list("aaabbb"),
        "item": ["q"] * 6,
        **({"ranking": list("111222")} if named else {}),
        "system": list("ABCABC"),
        "rank": ["1st", "2nd", "3rd", "2ND", "1st", "3rd "],
    }
    assert ranks_of(table(columns, kind, tmp_path)) == RANKS


def test_ordinals_beside_other_words_are_refused_and_blank_ones_are_not_ranked(tmp_path):
    columns = {"ranking": list("1112"), "system": list("ABCA"), "rank": ["1st", "2nd", None, "1st"]}
    read = rows_of(table(columns, "csv", tmp_path))
    assert [row["rank"] for row in read] == [1, 2, None, 1]
    mixed = columns | {"rank": ["1st", "2nd", "last", "1st"]}
    assert "rank '1st' in column 'rank'" in refusal(table(mixed, "csv", tmp_path), InvalidJudgments)


@KINDS
def test_a_column_for_each_rank_holds_its_system(kind, tmp_path):
    columns = {"judge": ["a", "b"], "item": ["q"] * 2}
    columns |= {"1st": ["A", "B"], "2nd": ["B", "A"], "3rd": ["C", "C"]}
    assert ranks_of(table(columns, kind, tmp_path)) == RANKS
    short = columns | {"3rd": ["C", None]}  # the last of b was not ranked
    assert ranks_of(table(short, kind, tmp_path)) == {
        one: rank for one, rank in RANKS.items() if one != ("b", "C")
    }


def test_a_column_for_each_rank_lacks_none(tmp_path) -> None:
    columns = {"judge": ["a"], "1st": ["A"], "3rd": ["C"]}
    assert "no known layout" in refusal(table(columns, "csv", tmp_path), UnknownFormat)


@pytest.mark.parametrize("column", ["ranking", "rank", "outcome"])
def test_the_refusal_of_rankings_in_one_cell_reads_them(column):
    frame = pd.DataFrame({"judge": ["a", "b"], "item": ["q"] * 2, column: ["A>B>C", "B > A > C"]})
    said = refusal(frame, UnknownColumn)
    (call,) = re.findall(r"with pandas: (evenhand\.read\(.*\))$", said)
    assert ranks_of(eval(call, {"evenhand": evenhand, "frame": frame})) == RANKS


def test_rankings_in_one_cell_are_told_by_their_values_under_any_name():
    frame = pd.DataFrame(
        {"judge": ["a", "b"], "item": ["q"] * 2, "sequence": ["A>B>C", "B > A > C"]}
    )
    said = refusal(frame, UnknownFormat)
    (call,) = re.findall(r"with pandas: (evenhand\.read\(.*\))$", said)
    assert ranks_of(eval(call, {"evenhand": evenhand, "frame": frame})) == RANKS


@pytest.mark.parametrize(
    "cells", [["<p>a</p> b", "<i>c</i> d"], ["A>B", "B>A"], ["A>B>A", "A>B>C"]]
)
def test_other_signs_in_cells_are_no_rankings(cells):
    frame = pd.DataFrame({"judge": ["a", "b"], "item": ["q"] * 2, "sequence": cells})
    assert "hold whole rankings" not in refusal(frame, UnknownFormat)


@pytest.mark.usefixtures("folder")
def test_codes_of_missing_scores_are_no_words_of_a_criterion() -> None:
    columns = ("NA1", "so-so", "bad"), ("4", "3", "2")
    _, notes = read_wide("judge,item,system,fluency,adequacy\n", *columns, missing=("NA1",))
    (said,) = (one for one in notes if "fluency is not read" in one)
    assert "NA1" not in said

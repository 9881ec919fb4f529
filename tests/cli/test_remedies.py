"""What a refusal says to do, done to the letter, leads on: in three steps at most all is read."""

import csv
import re
import shlex
from pathlib import Path

import pytest

from evenhand.data.labels import TO_CHOOSE
from evenhand.formats.table import ROWS_LOOKED_AT

HEADER = ("left", "right", "outcome", "judge")
BASE = [("A", "B", "left"), ("B", "A", "left"), ("A", "B", "right"), ("B", "A", "tie")] * 3
SAFE = [(*row, f"j{at % 4}") for at, row in enumerate(BASE)]
LONG = "A long answer that a model gave to a prompt, with many words in it, number "


def save(header, rows, name="votes.csv"):
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return name


def with_outcomes(*labels):
    return [*SAFE, *[("A", "B", label, "j1") for label in labels]]


def with_winners(*labels):
    rows = [("red", "blue", one, f"j{at % 3}") for at, one in enumerate(["red", "blue"] * 4)]
    return [*rows, *[("blue", "red", label, "j1") for label in labels]]


def find_remedy(said):
    """Return the first words of a refusal that can be copied into the same command."""
    text = re.split(r",? \(?in Python", said[said.index("--") :] if "--" in said else "")[0]
    for length in range(len(text), 0, -1):
        try:
            words = shlex.split(text[:length])
        except ValueError:  # ends within quotes
            continue
        if text[length - 1] != ")" or text.count("(") >= text.count(")"):
            return words
    return []


CASES = {
    "unknown": with_outcomes("perhaps"),
    "several unknown": with_outcomes("perhaps", "skip", "no idea", "it's B", "a=b?"),
    "both bad and unknown": with_outcomes("both_bad", "bothbad", "perhaps", "both"),
    "missing": with_outcomes(""),
    "missing in words": with_outcomes("NaN", "None", "NA", "null", "-", "empty"),
    "missing and unknown": with_outcomes("NaN", "", "perhaps", "both_bad"),
    "zero and one": [
        (a, b, {"left": "0", "right": "1"}[o], j) for a, b, o, j in SAFE if o != "tie"
    ],
    "minus one to one": [
        (a, b, {"left": "-1", "tie": "0", "right": "1"}[o], j) for a, b, o, j in SAFE
    ],
    "one to three": [(a, b, {"left": "1", "tie": "2", "right": "3"}[o], j) for a, b, o, j in SAFE],
    "zero to two": [(a, b, {"left": "1", "tie": "0", "right": "2"}[o], j) for a, b, o, j in SAFE],
    "judges and outcomes missing": [*with_outcomes("NaN", "perhaps"), ("A", "B", "left", "")],
    "everything missing somewhere": [
        *with_outcomes("NaN", "skip"),
        ("", "B", "left", "j1"),
        ("A", "", "left", "j1"),
        ("A", "B", "left", ""),
    ],
    "winners and unknown": with_winners("skip"),
    "winners, both bad, unknown and missing": with_winners("both_bad", "tie", "NaN", "skip", ""),
    "winners far down": [*SAFE, *[("A", "B", "A", "j1")] * 2],
    "winners far down and unknown": [*SAFE, ("A", "B", "A", "j1"), ("A", "B", "skip", "j2")],
    "names that are sides": [(b, a, {"left": b, "right": a}.get(o, o), j) for a, b, o, j in SAFE],
}
CLUSTER = ("--cluster", "judge")


@pytest.mark.parametrize("rows", CASES.values(), ids=CASES)
def test_remedies_followed_to_the_letter_end_in_success(evenhand, folder, rows):
    words = ["rank", save(HEADER, rows), *CLUSTER]
    refusals = []
    for _ in range(4):
        try:
            assert evenhand(*words, "--json").json["signature"]
            break
        except AssertionError as error:
            refusals.append(" ".join(str(error).split()))
        said = evenhand(*words, code=2).err
        remedy = find_remedy(" ".join(said.split()))
        assert remedy, said
        assert not re.search(r"--outcome '?(nan|none|na|null|-|empty|)=", said, re.IGNORECASE), said
        # what nobody can guess is for the reader to choose
        sides = {"1": "left", "3": "right"}
        words += [one.replace(TO_CHOOSE, sides.get(one[0], "tie")) for one in remedy]
    else:
        pytest.fail(f"no end after {refusals}")
    assert len(refusals) <= 3


def test_what_was_declared_counts_as_declared(evenhand, folder):
    """Two of 14 votes are neither tie: they become the left's, by the option that is added."""
    path = save(HEADER, with_outcomes("both_bad", "better"))
    found = evenhand("inspect", path, "--outcome", "better=left", "--json").json
    assert found["comparisons"] == 14 if "comparisons" in found else found
    assert "25 %" not in evenhand("inspect", path, "--outcome", "both_bad=left", code=2).err


def test_conditions_that_are_given_twice_hold_together(evenhand, folder):
    path = save(HEADER, SAFE)
    both = evenhand("rank", path, "--where", "judge <> 'j9' -- of four", "--where", "judge <> 'j1'")
    one = evenhand("rank", path, "--where", "judge <> 'j1'")
    board = [line for line in both.out.splitlines() if "│" in line or "─" in line or "0." in line]
    assert board
    assert board == [line for line in one.out.splitlines() if line in board]
    said = evenhand("rank", path, "--where", "true) or (true", "--where", "true", code=2).err
    assert "'true) or (true' is not one SQL condition" in said


def test_missing_outcomes_are_named_and_counted(evenhand, folder):
    path = save(HEADER, with_outcomes("NaN", "NaN", "None", ""))
    (excluded,) = evenhand("rank", path, "--json").json["excluded"]
    assert (excluded["code"], excluded["rows"]) == ("no-outcome", 4)
    assert "excluded: 4 of 16 rows, the outcome is missing" in evenhand("rank", path).out


TEXTS = [[f"{LONG}{at} {side}" for at in range(30)] for side in "ab"]
TEXT_TABLES = {
    ("prompt", "response_a", "response_b", "winner"): "response_a",
    ("source", "output_1", "output_2", "preference"): "output_1",
    ("prompt", "systm_a", "systm_b", "winner"): "systm_a",
}


@pytest.mark.parametrize("header", TEXT_TABLES)
def test_a_column_of_texts_is_proposed_for_no_system(evenhand, folder, header):
    sides = ["model_a", "model_b"] * 15
    rows = [(f"prompt {at}", TEXTS[0][at], TEXTS[1][at], sides[at]) for at in range(30)]
    said = evenhand("inspect", save(header, rows), code=2).err
    assert f"={TEXT_TABLES[header]}" not in said
    assert "--column left=NAME" in said or "add columns with their names, model_a" in said


def test_of_two_columns_for_a_system_the_one_of_names_is_taken(evenhand, folder):
    header = ("model_1", "output_a", "model_2", "output_b", "preference", "judge")
    rows = [
        ("AB"[at % 2], TEXTS[0][at], "BA"[at % 2], TEXTS[1][at], "left", f"j{at % 3}")
        for at in range(30)
    ]
    found = evenhand("inspect", save(header, rows)).out
    assert "left=model_1, right=model_2" in " ".join(found.split())


def test_texts_and_numbers_are_proposed_for_no_judge(evenhand, folder):
    header = ("left", "right", "outcome", "jugde", "rate")
    texts = [(*BASE[at % 12], TEXTS[0][at], f"{at / 7:.3f}") for at in range(30)]
    assert "--column judge" not in evenhand("inspect", save(header, texts)).out
    named = [(*BASE[at % 12], f"j{at % 3}", "1") for at in range(30)]
    assert "--column judge=jugde" in evenhand("inspect", save(header, named)).out


def test_an_outcome_of_texts_is_not_declared_label_by_label(evenhand, folder):
    rows = [("A", "B", TEXTS[0][at], "j1") for at in range(30)]
    said = evenhand("rank", save(HEADER, rows), code=2).err
    assert "--outcome" not in said
    assert len(said) < 900


@pytest.mark.parametrize(
    "words",
    ["rank {}", "convert {} -o out.csv"],
    ids=lambda words: words.split()[0],
)
def test_missing_outcomes_far_down_a_long_table_are_counted_by_every_verb(evenhand, folder, words):
    pairs = [("A", "B", "left"), ("B", "A", "left"), ("A", "B", "tie")]
    rows = [f"{a},{b},{o},j{at % 7}" for at in range(ROWS_LOOKED_AT // 3 + 1) for a, b, o in pairs]
    path = folder / "votes.csv"
    path.write_text("\n".join(["left,right,outcome,judge", *rows, "A,B,NA,j1", ""]))
    ran = evenhand(*(word.format(path) for word in words.split()))
    said = " ".join((ran.out + ran.err).split())
    assert f"excluded: 1 of {len(rows) + 1:,} rows, the outcome is missing" in said


@pytest.mark.parametrize("odd", ['o"r', "o'r", "o, r", "$x"])
def test_judges_with_odd_names_are_left_out_as_it_says(evenhand, folder, odd):
    quoted = '"' + odd.replace('"', '""') + '"'
    rows = [f"j{i % 4},A,B,{outcome}" for i in range(8) for outcome in ("left", "right")]
    rows.append(f"{quoted},B,A,left")
    Path("votes.csv").write_text("\n".join(["judge,left,right,outcome", *rows]), "utf-8")
    Path("judges.csv").write_text("judge,native\n" + "".join(f"j{i},yes\n" for i in range(4)))
    words = ("rank", "votes.csv", "--judges", "judges.csv", "--group-by", "native")
    said = " ".join(evenhand(*words, code=2).err.split())
    option = shlex.split(re.search(r"\((--without .*), in Python", said)[1])
    assert evenhand(*words, *option).out
    condition = "judge <> '" + odd.replace("'", "''") + "'"
    assert evenhand(*words, "--where", condition).out

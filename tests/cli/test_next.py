"""`evenhand next`."""

from pathlib import Path

import numpy as np
import pytest

from active.boards import simulate

OUTCOMES = np.array(["left", "tie", "right"])


def write(path, tally, task=None):
    """Write a tally with one entry per judgment as a table."""
    lines = ["left,right,outcome" + (",task" if task else "")]
    outcome = OUTCOMES[tally.counts.argmax(axis=1)]
    for one, other, said in zip(tally.left, tally.right, outcome, strict=True):
        row = f"{tally.systems[one]},{tally.systems[other]},{said}"
        lines.append(row + (f",{task}" if task else ""))
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def votes(folder):
    """Six systems, 300 judgments."""
    return write("votes.csv", simulate(np.linspace(1, -1, 6), 300, 1, tie=0.5))


def test_it_prints_ten_pairs_with_reasons(evenhand, votes):
    ran = evenhand("next", votes)
    rows = [line for line in ran.out.splitlines() if line[:4].strip().isdigit()]
    assert len(rows) == 10
    assert all("is better with probability" in row or "at random" in row for row in rows)
    assert "10 pairs: 7 chosen, 3 random" in ran.out or "10 pairs: 3 random, 7 chosen" in ran.out
    assert "evenhand 0.1.0 | next | order | random 0.3 | start 5 | pairs=10" in " ".join(
        ran.out.replace("\n       ", " ").split()
    )


def test_the_same_seed_gives_the_same_pairs_and_another_gives_others(evenhand, votes):
    one, same = (evenhand("next", votes, "--csv").out for _ in range(2))
    assert one == same
    assert evenhand("next", votes, "--csv", "--seed", "7").out != one


def test_the_csv_has_a_row_for_each_pair(evenhand, votes):
    header, *rows = evenhand("next", votes, "--csv", "--batch", "4").out.splitlines()
    assert header == "left,right,kind,reason"
    assert len(rows) == 4


def test_the_json_says_what_chose(evenhand, votes):
    found = evenhand("next", votes, "--json", "--top-k", "2", "--random-share", "0").json
    assert found["policy"]["rule"] == "top-k"
    assert {one["kind"] for one in found["pairs"]} == {"chosen"}
    assert found["pairs"][0]["reason"] == "either may be among the first 2"
    assert found["savings"] is None
    assert found["n_judgments"] == 300


def test_the_latex_is_a_table_of_pairs(evenhand, votes):
    text = evenhand("next", votes, "--latex").out
    assert r"\toprule" in text
    assert "% evenhand" in text


def test_a_file_with_few_judgments_begins_with_the_start_up_phase(evenhand, folder):
    write("few.csv", simulate((1, 0.5, 0, -1), 6, 1))
    text = evenhand("next", "few.csv").out.replace("\n       ", " ")
    assert "the start-up phase comes first:" in text
    assert "systems have fewer than 5 judgments" in text
    assert "of the first 5 judgments" in text


def test_parts_that_nothing_joins_are_said(evenhand, folder):
    one, two = simulate((1, 0, -1), 60, 1), simulate((1, 0, -1), 60, 2)
    write("one.csv", one)
    rows = Path(write("two.csv", two)).read_text(encoding="utf-8").replace("s0", "t0")
    joined = Path("one.csv").read_text(encoding="utf-8") + rows.partition("\n")[2]
    Path("both.csv").write_text(joined, encoding="utf-8")
    text = evenhand("next", "both.csv").out.replace("\n       ", " ")
    assert "the start-up phase comes first: no chain of judgments joins all systems" in text


def test_tasks_are_chosen_for_apart(evenhand, folder):
    first = Path(write("one.csv", simulate((1, 0, -1), 60, 1), "one")).read_text(encoding="utf-8")
    second = Path(write("two.csv", simulate((1, 0, -1), 60, 2), "two")).read_text(encoding="utf-8")
    Path("tasks.csv").write_text(first + second.partition("\n")[2], encoding="utf-8")
    found = evenhand("next", "tasks.csv", "--json").json
    assert set(found["groups"]) == {"one", "two"}


def test_savings_replay_the_policy_and_say_what_it_saved(evenhand, votes):
    ran = evenhand("next", votes, "--savings", "--replays", "3")
    text = ran.out.replace("\n       ", " ")
    assert "random pairs agree with all 300 by" in text
    assert "judgments  order  random" in text
    found = evenhand("next", votes, "--savings", "--replays", "3", "--json").json["savings"]
    assert found["replays"] == 3
    assert found["judgments"][-1] == 150  # half of the data
    assert {"saved", "lower", "upper", "reached"} <= set(found["saving"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--batch", "0"), "0 pairs cannot be chosen"),
        (("--policy", "ordr"), "'ordr' is not one of"),
        (("--top-k", "6"), "has no border: there are 6 systems"),
        (("--top-k", "2", "--policy", "order"), "is for the policy top-k, not for order"),
        (("--random-share", "2"), "the random share cannot be 2"),
        (("--savings", "--policy", "random"), "choose another policy"),
        (("--savings", "--replays", "1"), "1 replays have no interval"),
        (("--seed", "-1"), "seed cannot be -1"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(evenhand, votes, words, said):
    ran = evenhand("next", votes, *words, code=2)
    assert said in ran.err.replace("\n       ", " ")
    assert ran.out == ""


def test_savings_of_too_few_judgments_are_refused(evenhand, folder):
    write("few.csv", simulate(np.zeros(12), 60, 1))
    ran = evenhand("next", "few.csv", "--savings", code=2)
    assert "the data cannot support a replay" in ran.err


def test_ratings_are_refused(evenhand, folder):
    Path("scores.csv").write_text("judge,item,system,score\nj,1,a,3\nj,1,b,4\n", encoding="utf-8")
    assert "next needs comparisons or rankings" in evenhand("next", "scores.csv", code=2).err

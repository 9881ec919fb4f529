"""`evenhand next`."""

import re
from pathlib import Path

import numpy as np
import pytest

from design.boards import simulate
from evenhand import __version__

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
    rows = [line for line in ran.out.splitlines() if re.match(r" +\d+  s\d\d  ", line)]
    assert len(rows) == 10
    why = ("is better with probability", "at random", "little doubt here")
    assert all(any(words in row for words in why) for row in rows)
    assert ran.out.startswith("10 pairs to ask about next: ")
    assert "7 chosen" in ran.out
    assert "3 random" in ran.out
    signed = " ".join(ran.out.replace("\n       ", " ").split())
    assert f"evenhand {__version__} | next | order | random 0.3 | start 5 | pairs=10" in signed


def test_the_same_seed_gives_the_same_pairs_and_another_gives_others(evenhand, votes):
    one, same = (evenhand("next", votes, "--csv").out for _ in range(2))
    assert one == same
    assert evenhand("next", votes, "--csv", "--seed", "7").out != one


def test_a_file_with_few_judgments_begins_with_the_start_up_phase(evenhand, folder):
    write("few.csv", simulate((1, 0.5, 0, -1), 6, 1))
    text = evenhand("next", "few.csv").out.replace("\n       ", " ")
    assert "The start-up phase comes first:" in text
    assert "systems with fewer than 5 judgments" in text
    assert "; every system gets 5 first" in text


def test_savings_replay_the_policy_and_say_what_it_saved(evenhand, votes):
    ran = evenhand("next", votes, "--savings", "--replays", "3")
    text = ran.out.replace("\n       ", " ")
    assert "Random pairs agree with all 300 judgments by" in text
    assert "judgments  order  random" in text
    assert "(3 replays, too few for an interval: use 10" in text
    found = evenhand("next", votes, "--savings", "--replays", "3", "--json").json["savings"]
    assert found["replays"] == 3
    assert found["judgments"][-1] == 150  # half of the data
    assert {"saved", "lower", "upper", "reached"} <= set(found["saving"])


def test_a_sort_says_how_far_it_is_and_asks_its_question(evenhand, folder):
    Path("few.csv").write_text("left,right,outcome\na,b,left\nc,b,right\n", encoding="utf-8")
    ran = evenhand("next", "few.csv", "--policy", "sort", "--random-share", "0", "--batch", "1")
    text = " ".join(ran.out.split())
    assert "The sort has not ended: the votes decide 0 of at most 3 questions." in text
    assert re.search(r"(a c|c a) question of the sort: no votes yet", text)
    with Path("few.csv").open("a", encoding="utf-8") as file:
        file.write("a,c,left\n")
    assert "The sort has ended, by 3 questions: a > b > c." in evenhand(
        "next", "few.csv", "--policy", "sort"
    ).out.replace("\n", " ")

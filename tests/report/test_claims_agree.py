"""Headline, sections, checks, `rank`, `judges` and JSON of one report claim the same.

The program reads each claim from the words people see and from the values a program sees, and
compares both with the ranking made by itself. It runs on all bundled tables, on simulated
campaigns, and (slow) on the files of EVENHAND_DATA; `-rP` prints how many claims were compared.
"""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import evenhand
from evenhand import datasets
from evenhand.cli.main import main
from evenhand.errors import NotIdentified
from evenhand.judges.cards import CLASSES
from evenhand.report.answer import FAULTS, is_warning
from evenhand.report.assemble import make_report
from evenhand.report.document import FAILED, KEY_CHECKS, WARNING

NAMES = "ABCDEF"


def simulate(seed, *, k=4, apart=0.6, first=0.0, bad=0, circle=0.0, n=960):
    """Judges with a known truth: worths, a side that is preferred, careless judges, a circle."""
    rng = np.random.default_rng(seed)
    rows = []
    for at in range(n):
        one, two = rng.permutation(k)[:2].tolist()
        judge = at % 12
        gap = apart * (two - one) + first + circle * (1 if (two - one) % 3 == 1 else -1)
        gap = 0.0 if judge < bad else gap
        said = "tie" if rng.random() < 0.15 else "left" if rng.random() < _share(gap) else "right"
        rows.append((NAMES[one], NAMES[two], said, f"j{judge:02d}", f"i{at // 12 % 40:02d}"))
    return pd.DataFrame(rows, columns=["left", "right", "outcome", "judge", "item"])


def _share(gap):
    return 1 / (1 + np.exp(-gap))


SIMULATED = {
    "far apart": {},
    "equal": {"apart": 0.0},
    "close": {"apart": 0.1, "k": 6},
    "first preferred": {"first": 0.9},
    "first preferred by much, systems close": {"apart": 0.05, "first": 2.0},
    "three careless": {"bad": 3},
    "a circle of three": {"k": 3, "apart": 0.0, "circle": 0.9},
}


@cache
def bundled(name):
    one = datasets.load(name)
    return evenhand.read(pd.DataFrame(list(one.rows), columns=list(one.columns)))


def compare(data):
    """Return how many claims of a report were compared; the first that disagrees fails."""
    report = make_report(data)
    written = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    return sum(
        compare_part(part, held, data)
        for part, held in zip(report.parts, written["parts"], strict=True)
    )


def compare_part(part, held, data):
    table = data.select_task(part.name) if part.name else data
    assert held["answer"] == list(part.answer)
    done = compare_checks(part, held)
    try:
        ranking = evenhand.rank(table)
    except NotIdentified:
        assert part.refused
        return done + 1
    if not isinstance(ranking, evenhand.Ranking):
        (ranking,) = ranking.groups.values()
    done += compare_leaders(part, ranking)
    done += compare_counts(part, ranking)
    return done + compare_judges(part)


def compare_checks(part, held):
    """Red checks are in the answer, and say what is otherwise; nothing else is in it."""
    checks = {check.name: check for section in part.sections for check in section.checks}
    assert [one["name"] for one in held["key_checks"]] == [
        name for name in KEY_CHECKS if name in checks
    ]
    for one in held["key_checks"]:
        assert (one["state"], one["says"]) == (checks[one["name"]].state, checks[one["name"]].says)
    caveats = [one for one in part.answer if is_warning(one)]
    red = [name for name in FAULTS if name in checks and checks[name].state == FAILED]
    if not part.refused:
        assert bool(red) <= bool(caveats), (red, part.answer)
    for check in checks.values():
        if check.state == FAILED:
            assert check.recommendation, check
            assert "decided order stays" not in check.recommendation
            assert "answer stays the same" not in check.recommendation
        if check.state == WARNING:
            assert "another one" not in check.recommendation, check
            assert "is first" not in check.recommendation, check
    return 2 * len(checks) + 1


def compare_leaders(part, ranking):
    """Who may be the best: the headline, the board of the report, and `rank`."""
    leaders = [
        name for name, low in zip(ranking.systems, ranking.rank_lower, strict=True) if low == 1
    ]
    alone = int(ranking.rank_upper[0]) == 1
    head = part.answer[0]
    assert (head,) == ranking.document().answer
    assert alone == (" is the best: better than " in ranking.says)
    # `rank --task` excludes the other tasks, and says so; the report holds a part for each
    ours, theirs = (one.partition(" | excluded")[0] for one in (part.signature, ranking.signature))
    assert ours == theirs
    if alone:
        assert head.startswith(ranking.systems[0])
        assert ranking.says.startswith(ranking.systems[0])
    elif len(leaders) == len(ranking.systems) > 2:
        assert head.startswith(f"All {len(leaders)} systems share first place: ")
    elif 1 < len(leaders) <= 5:
        assert all(name in head for name in leaders)
    board = next(one for one in part.section("ranking").tables if one.name == "board")
    assert [row["system"] for row in board.rows] == list(ranking.systems)
    best = [row["system"] for row in board.rows if row["ranks"].rstrip("†").split("-")[0] == "1"]
    assert best == leaders
    return 6 + len(ranking.systems)


def compare_counts(part, ranking):
    """Decided pairs: heads, circles, choices and the ranking itself."""
    decided = int((ranking.rank_sets.decided > 0).sum())
    heads = part.section("heads")  # of several tasks there are fewer sections
    said = " ".join(heads.says) if heads else ""
    found = re.search(r"Decided pairs: ([\d,]+) of ", said)
    if heads:
        assert int(found[1].replace(",", "")) == decided
    choices = part.section("choices")
    tables = choices.tables if choices else ()
    for table in tables:
        own, *others = [{"first": None, **row} for row in table.rows]
        assert own["first"] == ranking.systems[0] or own["first"].startswith(ranking.systems[0])
        assert own["decided"] in (None, decided)
        ranked = [row for row in others if row["first"] is not None]
        alike = all(row["first"] == own["first"] for row in ranked)
        assert choices.says[0].startswith("The lead is not robust") == (not alike)
        turned = [one for one in choices.checks if one.says.startswith("no: ")]
        assert all(one.state == FAILED for one in turned)
        if not alike and int(ranking.rank_upper[0]) == 1:
            assert choices.checks, table.rows
    return 4


def compare_judges(part):
    """Flags: sentence, check, table."""
    section = part.section("judges")
    table = next((one for one in section.tables if one.name == "flags"), None)
    if table is None:
        return 0
    flagged = [row["judge"] for row in table.rows if row["flags"]]
    (check,) = section.checks
    count = re.match(r"(\d+) flagged of|none flagged of", check.says)
    assert int(count[1] or 0) == len(flagged)
    told = re.match(r"(?:([\d,]+)|None) of [\d,]+ judges (?:is|are) flagged", section.says[0])
    assert int(told[1] or 0) == len(flagged)
    assert (check.state in (FAILED, WARNING)) == bool(flagged)
    return 3


@pytest.mark.parametrize("name", datasets.names())
def test_reports_of_bundled_tables_agree_with_themselves_and_with_rank(name):
    print(f"{name}: {compare(bundled(name))} claims compared")  # noqa: T201


@pytest.mark.parametrize("name", SIMULATED)
def test_reports_of_simulated_campaigns_agree_with_themselves_and_with_rank(name):
    done = sum(compare(evenhand.read(simulate(seed, **SIMULATED[name]))) for seed in range(1))
    print(f"{name}: {done} claims compared")  # noqa: T201


def judge_claims(path, *words):
    """Return who is flagged for what, and how many could be found out, from each output."""
    runner = CliRunner()

    def run(*more):
        found = runner.invoke(main, ["judges", str(path), *words, *more])
        assert found.exit_code == 0, found.output
        return found.stdout

    part = json.loads(run("--json"))
    part = part.get("screening", part)
    cards = {one["judge"]: one["flags"] for one in part["cards"] if one["flags"]}
    rows = [row for row in csv.DictReader(io.StringIO(run("--csv"))) if row["flags"]]
    text = " ".join(run().split())
    return part, cards, {row["judge"]: row["flags"].split(" ") for row in rows}, text


@pytest.mark.parametrize("name", ["three careless", "far apart", "first preferred"])
def test_judges_says_the_same_in_text_json_csv_and_the_report(name, tmp_path):
    frame = simulate(5, n=1920, **SIMULATED[name])
    path = tmp_path / "votes.csv"
    frame.to_csv(path, index=False)
    part, cards, rows, text = judge_claims(path)
    assert part["flagged"] == list(cards)
    assert rows == cards
    told = re.search(r"(?:(\d+)|None) of (\d+) judges (?:is|are) flagged", text)
    assert (int(told[1] or 0), int(told[2])) == (len(cards), part["judges"])
    for judge, flags in cards.items():
        assert f"{judge} ({', '.join(flags)})" in text
    assert sum(card["n"] for card in part["cards"]) == part["judgments"]
    seen = sum(card["testable"] for card in part["cards"])
    enough = re.search(r"(\d+) of (\d+) judges have that many", text)
    assert (enough is None) == (part["abstains"] is not None)
    assert enough is None or int(enough[1]) == seen
    classed = [judge for judge, flags in cards.items() if {*flags} & {*CLASSES}]
    assert not (classed and part["abstains"])
    (held,) = make_report(evenhand.read(path), sections=["judges"]).parts
    sentence = held.section("judges").says[0]
    assert sentence == part["says"][0]
    assert len(classed) == (3 if name == "three careless" else 0)

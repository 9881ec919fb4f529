"""Hamon's campaign at full size: one command, 125 judges over HTTP, and what comes out.

The command is examples/fluency-adequacy/whole_campaign.py, with the paper's numbers: 6, 9 and 11
systems, 10,180 outputs, 125 judges. What is downloaded is counted here with the csv module alone,
against what judges were shown and what the paper prints of the design.
"""

from __future__ import annotations

import csv
import json
import re
import resource
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evenhand import screen_judges
from evenhand.formats.reading import read
from evenhand.web import Store

SCRIPT = Path(__file__).parents[2] / "examples/fluency-adequacy/whole_campaign.py"
spec = spec_from_file_location("whole_campaign", SCRIPT)
whole_campaign = module_from_spec(spec)
sys.modules["whole_campaign"] = whole_campaign
spec.loader.exec_module(whole_campaign)

OUTPUTS = {"ASR": (6, 390), "Verbatim": (9, 392), "FTE": (11, 392)}
"""Input type → systems, and segments of each: 10,180 outputs in all."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Played:
    """What was served, and what was taken home."""

    folder: Path
    kinds: dict[str, str]
    seen: dict[str, list[dict[str, Any]]]
    rows: list[dict[str, str]]

    @property
    def planted(self) -> set[str]:
        return {name for name, kind in self.kinds.items() if kind != "honest"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("hamon")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    found = whole_campaign.run_campaign(folder)
    took = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    n = sum(map(len, found.seen.values()))
    print(f"{n:,} answers in {took:.0f} s, {n / took:,.0f} a second; server {cpu:.0f} s of CPU")  # noqa: T201 - counts of an experiment
    with (folder / "ratings.csv").open(newline="", encoding="utf-8") as file:
        return Played(folder, found.kinds, found.seen, list(csv.DictReader(file)))


def run(played: Played, *said: str) -> str:
    """Run a verb in the folder of what was downloaded."""
    command = [sys.executable, "-m", "evenhand", *said]
    return subprocess.run(
        command, cwd=played.folder, capture_output=True, text=True, check=True
    ).stdout


def test_every_output_is_scored_by_two_judges_in_both_passes(played: Played) -> None:
    rows = played.rows
    assert len(rows) == 40_720
    judged: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for one in rows:
        judged[one["criterion"], one["item"], one["system"], one["document"]].append(one["judge"])
    assert {len(names) == len(set(names)) == 2 for names in judged.values()} == {True}
    for criterion in ("fluency", "adequacy"):
        systems = Counter((key[3], key[2]) for key in judged if key[0] == criterion)
        assert systems.total() == 10_180
        for name, (k, segments) in OUTPUTS.items():
            assert [n for (kind, _), n in systems.items() if kind == name] == [segments] * k
    assert {one["kind"] for one in rows} == {"target"}
    assert {one["score"] for one in rows} == {"1", "2", "3", "4", "5"}


def test_every_judge_has_163_outputs_or_162_and_the_same_in_both_passes(played: Played) -> None:
    own: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for one in played.rows:
        own[one["judge"], one["criterion"]].add((one["item"], one["system"]))
    names = {judge for judge, _ in own}
    assert len(names) == 125
    assert Counter(len(outputs) for outputs in own.values()) == {163: 2 * 110, 162: 2 * 15}
    assert all(own[name, "fluency"] == own[name, "adequacy"] for name in names)
    for name in names:
        sentences = [item.split("-")[1] for item, _ in own[name, "fluency"]]
        assert len(sentences) == len(set(sentences)), "a sentence was seen twice"


def test_what_was_seen_in_which_order_stands_in_the_export(played: Played) -> None:
    told: dict[str, list[dict[str, str]]] = defaultdict(list)
    for one in played.rows:
        told[one["judge"]].append(one)
    with Store.open(str(played.folder / "campaign.db")) as store:
        known = {
            name: [store.name_ticket(name, int(one["ticket"])) for one in rows]
            for name, rows in told.items()
        }
    for name, items in played.seen.items():
        asked = [one for one in items if not one["training"]]
        assert known[name] == [one["ticket"] for one in asked]
        for row, item in zip(told[name], asked, strict=True):
            (output,) = item["outputs"]
            number = int(row["item"].rpartition("-")[2])
            assert output["text"] == f"{row['system']} {number}"
            assert row["criterion"] == item["task"]["name"]
            score = whole_campaign.Opinions(whole_campaign.SEED, name, played.kinds[name]).score(
                row["criterion"], output["text"]
            )
            assert row["score"] == str(score)
        assert all(a <= b for a, b in pairwise(int(one["at"]) for one in told[name]))


def test_the_export_is_read_as_it_is(played: Played) -> None:
    assert "40,720 ratings, 125 judges, 1,174 items, 26 systems" in run(
        played, "inspect", "ratings.csv"
    )
    agreed = run(played, "agreement", "ratings.csv")
    assert "20,360 outputs by 2 judges each" in " ".join(agreed.split())
    scores: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for one in played.rows:
        scores[one["criterion"], one["item"], one["system"]].append(one["score"])
    same = sum(a == b for a, b in scores.values()) / len(scores)
    assert re.search(rf"same score +{same:.3f}", agreed)
    assert "each as it was written" in run(played, "check", "log.jsonl")


def test_planted_judges_are_listed_beside_what_was_downloaded(played: Played) -> None:
    with (played.folder / "planted.csv").open(newline="") as file:
        listed = {one["judge"]: one["kind"] for one in csv.DictReader(file)}
    assert listed == {name: played.kinds[name] for name in played.planted}
    assert Counter(listed.values()) == {"careless": 8, "reversed": 4}


def test_planted_judges_are_flagged_and_nobody_else(played: Played) -> None:
    """Who gets which output depends on who asks first: one campaign in sixteen misses a judge."""
    found = json.loads(run(played, "judges", "ratings.csv", "--scale", "1-5", "--json"))
    flagged = {one["judge"]: one["flags"] for one in found["screening"]["cards"] if one["flags"]}
    planted = {name: [played.kinds[name]] for name in played.planted}
    assert all(planted[name] == flagged[name] for name in planted.keys() & flagged.keys())
    assert len(planted.keys() - flagged.keys()) <= 1, "none of 80 campaigns missed two"
    assert len(flagged.keys() - planted.keys()) <= 1, "one of 80 campaigns flagged an honest one"


def test_of_all_flags_no_more_fall_on_honest_judges_than_is_promised(played: Played) -> None:
    """Other opinions on the same tickets: of all flags at most one in twenty is false."""
    true = false = missed = 0
    for seed in range(3):
        kinds = whole_campaign.plant(sorted(played.kinds), seed)
        judges = {name: whole_campaign.Opinions(seed, name, kind) for name, kind in kinds.items()}
        rows = [
            {**one, "score": judges[one["judge"]].score(one["criterion"], text)}
            for one in played.rows
            for text in (f"{one['system']} {int(one['item'].rpartition('-')[2])}",)
        ]
        path = played.folder / f"again-{seed}.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        cards = screen_judges(read(path)).cards
        flagged = {one.judge for one in cards if one.flags}
        planted = {name for name, kind in kinds.items() if kind != "honest"}
        true, false = true + len(flagged & planted), false + len(flagged - planted)
        missed += len(planted - flagged)
    print(f"3 campaigns: {true} planted judges flagged, {missed} missed, {false} honest flagged")  # noqa: T201 - counts of an experiment
    assert missed <= 2, (
        "of 80 campaigns five missed one: three or more come once in a thousand times"
    )
    assert false <= 5, "of 36 flags 1.8 may be false; 6 or more come once in a hundred times"

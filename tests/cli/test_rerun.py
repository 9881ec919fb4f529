"""A result carries what is needed to make it again: the signature, read back into options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from ranking.panels import panel

ASKED = [
    [],
    ["--ties", "rao-kupper", "--order-effect", "--prior", ".1234567"],
    ["--judge-cap", "median", "--cluster", "item", "--seed", "123456789"],
    ["--interval", "model", "--ties", "discard"],
    ["--control", "length", "--cluster", "judge"],
]


@pytest.fixture
def judged(folder: Path) -> str:
    """Three hundred judgments by nine judges of unequal load, with a length."""
    frame = panel(n=300, judges=9, items=12)
    lengths = [(7 * i) % 23 - 11 for i in range(len(frame))]
    frame.insert_column(5, frame["judge"].alias("length")).write_csv("judged.csv")
    lines = Path("judged.csv").read_text().splitlines()
    rows = [line.rsplit(",", 1)[0] + f",{n}" for line, n in zip(lines[1:], lengths, strict=True)]
    Path("judged.csv").write_text("\n".join([lines[0], *rows]) + "\n", encoding="utf-8")
    return "judged.csv"


def read_back(signature: str) -> list[str]:
    """Return the options of `evenhand rank` that a signature states."""
    ties, *more = signature.split(" | ")[1].split(" + ")
    words = ["--ties", ties]
    for part in more:
        name, _, value = part.removesuffix(" per system").partition(" ")
        words += {"order": ["--order-effect"]}.get(name, [f"--{name}", value])
    how = re.search(r"(rank sets|sandwich|bootstrap|model)(?: \w+)? by [a-z+]+", signature)
    if how is None:
        words += ["--interval", "model"]
    else:
        words += ["--interval", how[1].replace(" ", "-")]
    asked = re.search(r"\| cluster ([a-z+]+) ", signature)
    words += ["--cluster", asked[1]] if asked else []
    words += ["--judge-cap", "median"] if "judge cap median" in signature else []
    seed = re.search(r"seed=(\d+)", signature)
    level = re.search(r"level ([0-9.e-]+)", signature)
    assert level is not None
    return [*words, "--level", level[1], *(["--seed", seed[1]] if seed else [])]


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_what_the_signature_says_gives_the_same_bytes(evenhand, judged, asked, monkeypatch):
    # 999 refits four times over take long
    monkeypatch.setattr("evenhand.ranking.bootstrap.REPLICATES", 40)
    first = evenhand("rank", judged, *asked, "--json")
    again = evenhand("rank", judged, *read_back(first.json["signature"]), "--json")
    assert again.out == first.out
    text = evenhand("rank", judged, *asked).out
    signed = " ".join(text[text.index("\nsign ") :].split()[1:])
    assert signed == first.json["signature"]
    assert evenhand("rank", judged, *read_back(signed)).out == text


def test_two_processes_give_the_same_bytes(judged):
    """Also where words are hashed by another seed, and sets stand in another order."""
    found = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        code = "from evenhand.cli.main import main; main(prog_name='evenhand')"
        command = [sys.executable, "-c", code, "rank", judged, "--json"]
        found.add(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    assert len(found) == 1


def test_who_judged_what_changes_the_line(evenhand, judged):
    """Shuffled judges leave the counts by system as they were, and change the board."""
    frame = pl.read_csv(judged)
    other = frame.with_columns(pl.col("judge").shuffle(seed=3))
    other.write_csv("shuffled.csv")
    results = [evenhand("rank", file, "--json").json for file in (judged, "shuffled.csv")]
    before, after = (one["signature"].split(" | ") for one in results)
    assert before[-1] == after[-1]
    assert [one for one, two in zip(before, after, strict=True) if one != two] == [before[-3]]
    assert before[-3].startswith("clusters sha256 ")

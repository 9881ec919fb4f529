"""What docs/ratings.md says beside published rankings of WMT."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main

DATA = os.environ.get("EVENHAND_DATA")
PAGE = Path(__file__).parents[2] / "docs" / "ratings.md"
pytestmark = pytest.mark.skipif(not DATA, reason="EVENHAND_DATA is not set: real ratings")


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("mqm_google", ["--task", "ted_ende", "--rank-references"]),
        ("esa_wmt23_ende", ["--task", "240315rc5ESA"]),
    ],
)
def test_the_page_says_what_the_command_says(folder, words):
    made = CliRunner().invoke(main, ["rank", f"{DATA}/{folder}/ratings.parquet", *words, "--json"])
    says = json.loads(made.output)["says"]
    assert " ".join(says.split()) in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_three_systems_of_esa_are_worse_than_another():
    path = f"{DATA}/esa_wmt23_ende/ratings.parquet"
    made = CliRunner().invoke(main, ["rank", path, "--task", "240315rc5ESA", "--json"])
    found = json.loads(made.output)["systems"]
    beaten = {name for one in found for name in one["beats"]}
    assert beaten == {f"wmt23.{name}" for name in ("NLLB_Greedy", "NLLB_MBR_BLEU", "AIRC")}

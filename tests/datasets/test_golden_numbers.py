"""Golden numbers say what they are and who computed them; their counts are those of the tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evenhand import datasets
from golden_numbers import FOLDER

FILES = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_entry_says_what_it_is_and_who_computed_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert content["file"] == path.stem
    assert content["source"]
    assert "software" in content
    for entry in content["entries"]:
        assert {"id", "definition", "input", "expected", "tolerance", "obtained_by"} <= set(entry)
    assert not re.search(r"/(work|tmp|home|root)\b", text), "no paths of one machine"


def test_the_readme_names_every_file() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in FILES if f"`{path.stem}`" not in readme] == []


def test_the_golden_counts_are_the_bundled_table(golden: Any) -> None:
    given = golden("02_llbt_multi_pair_judges", "eq1_with_ties").input
    rows = {
        (given["judges"][judge], given["systems"][i], given["systems"][j], outcome, count)
        for judge, i, j, *counts in given["cells"]
        for outcome, count in zip(("left", "tie", "right"), counts, strict=True)
        if count
    }
    assert rows == set(datasets.load("dras2015_table1").rows)

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand import datasets
from evenhand.cli.demo import find_coefficient, reproduce
from evenhand.errors import EvenhandError
from evenhand.formats.reading import read
from evenhand.models.bradley_terry import BradleyTerry


def judgments(name, folder):
    path = folder / f"{name}.csv"
    path.write_text(datasets.load(name).csv(), encoding="utf-8")
    return read(path)


def test_a_wrong_number_is_seen(tmp_path):
    table = datasets.load("pudding")
    wrong = [replace(number, value=number.value + 0.01) for number in table.numbers]
    found = reproduce(replace(table, numbers=tuple(wrong)), judgments("pudding", tmp_path))
    assert [one for one in found if one.agrees] == []


def test_the_reference_has_no_standard_error(tmp_path):
    fit = BradleyTerry().fit(judgments("dras2015_table1", tmp_path))
    with pytest.raises(EvenhandError, match="D is the reference: it has no stderr"):
        find_coefficient(fit, "D", "stderr")

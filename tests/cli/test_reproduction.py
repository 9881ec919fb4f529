from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand import datasets
from evenhand.cli.demo import MODELS, find_coefficient, reproduce
from evenhand.errors import EvenhandError
from evenhand.formats.reading import read
from evenhand.models.bradley_terry import BradleyTerry


def judgments(name, folder):
    path = folder / f"{name}.csv"
    path.write_text(datasets.load(name).csv(), encoding="utf-8")
    return read(path)


@pytest.mark.parametrize("name", datasets.names())
def test_every_number_of_a_table_is_found(name, tmp_path):
    table = datasets.load(name)
    found = reproduce(table, judgments(name, tmp_path))
    assert [one.expected for one in found] == list(table.numbers)
    assert [one for one in found if not one.agrees] == []


def test_a_wrong_number_is_seen(tmp_path):
    table = datasets.load("pudding")
    wrong = [replace(number, value=number.value + 0.01) for number in table.numbers]
    found = reproduce(replace(table, numbers=tuple(wrong)), judgments("pudding", tmp_path))
    assert [one for one in found if one.agrees] == []


def test_the_reference_has_no_standard_error(tmp_path):
    fit = BradleyTerry().fit(judgments("dras2015_table1", tmp_path))
    with pytest.raises(EvenhandError, match="D is the reference: it has no stderr"):
        find_coefficient(fit, "D", "stderr")


def test_every_model_of_a_number_is_known():
    named = {number.model for name in datasets.names() for number in datasets.load(name).numbers}
    plain = {model.removesuffix(", orders apart") for model in named} - {"counts"}
    assert plain <= set(MODELS)
